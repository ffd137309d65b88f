package troupe

# Reading is free.
verdict = true {
	input.safety == "read"
}

# After what was read on the web, nothing is written.
verdict = {"verdict": "deny", "rule": "after-the-web", "reason": reason} {
	input.safety != "read"
	is_after_the_web
	reason := sprintf("%s wrote after it had read the web", [input.agent])
}

# Small payments of the clerk are made, large ones a lead approves.
verdict = true {
	is_payment
	input.input.euros < 1000
}

verdict = {"verdict": "ask", "by": "lead", "rule": "large-payments", "reason": reason} {
	is_payment
	input.input.euros >= 1000
	reason := sprintf("%d euros of %s", [input.input.euros, input.also.tenant])
}

verdict = false {
	input.tool == "wipe"
	not is_after_the_web
}

# A mistake: two decisions at once.
verdict = true {
	input.tool == "torn"
}

verdict = false {
	input.tool == "torn"
}

is_payment {
	input.tool == "pay"
	input.agent == "clerk"
	not is_after_the_web
}

is_after_the_web {
	input.after[_] == "read_page"
}
