import sys

print(sum(float(amount) for amount in sys.argv[1:]))
