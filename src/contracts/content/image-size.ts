/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of a PNG, GIF, WebP or JPEG, read from its header: nothing is unpacked. Undefined for other formats, and for a
 * header that is cut off.
 */
export const imageSize = (bytes: Uint8Array, mediaType: string): ImageSize | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return SIZES[mediaType]?.(view);
  } catch {
    // Read past its end.
    return undefined;
  }
};

/** Three bytes, the lowest first. */
const uint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;

const webpSize = (view: DataView): ImageSize | undefined => {
  switch (view.getUint32(12)) {
    case 0x56_50_38_58: // VP8X
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    case 0x56_50_38_4c: {
      // VP8L
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 };
    }
    case 0x56_50_38_20: // VP8
      return { width: view.getUint16(26, true) & 0x3f_ff, height: view.getUint16(28, true) & 0x3f_ff };
    default:
      return undefined;
  }
};

/** Follows the segments to the one that starts a frame. */
const jpegSize = (view: DataView): ImageSize | undefined => {
  let at = 2;
  for (;;) {
    const marker = view.getUint16(at);
    if (marker < 0xff_00) return undefined;
    const isFrame = marker >= 0xff_c0 && marker <= 0xff_cf && !NO_FRAMES.has(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff_ff ? 1 : 2 + Math.max(2, view.getUint16(at + 2));
  }
};

/** Tables among the markers of frames. */
const NO_FRAMES: ReadonlySet<number> = new Set([0xff_c4, 0xff_c8, 0xff_cc]);

const SIZES: Readonly<Record<string, (view: DataView) => ImageSize | undefined>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/webp': webpSize,
  'image/jpeg': jpegSize,
};
