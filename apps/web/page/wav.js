// SPDX-License-Identifier: MIT
// A WAV file of 16 bits, two channels, from blocks of [left, right].

export function wav(blocks, rate) {
    const frames = blocks.reduce((sum, [left]) => sum + left.length, 0), bytes = new DataView(new ArrayBuffer(44 + 4 * frames));
    const text = (at, word) => { for (let i = 0; i < word.length; i++) bytes.setUint8(at + i, word.charCodeAt(i)); };
    text(0, 'RIFF'); bytes.setUint32(4, 36 + 4 * frames, true); text(8, 'WAVEfmt ');
    bytes.setUint32(16, 16, true); bytes.setUint16(20, 1, true); bytes.setUint16(22, 2, true);
    bytes.setUint32(24, rate, true); bytes.setUint32(28, 4 * rate, true); bytes.setUint16(32, 4, true); bytes.setUint16(34, 16, true);
    text(36, 'data'); bytes.setUint32(40, 4 * frames, true);
    let at = 44;
    for (const block of blocks)
        for (let i = 0; i < block[0].length; i++)
            for (const channel of block) {
                bytes.setInt16(at, Math.round(32767 * Math.min(Math.max(channel[i], -1), 1)), true);
                at += 2;
            }
    return bytes.buffer;
}
