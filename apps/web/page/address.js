// SPDX-License-Identifier: MIT
// A bench and its settings as the end of an address: #rod?variant=1&length=16. What an address says may come from anyone: unknown
// names and what is no number are ignored, and sliders clamp the rest.

export function readAddress(hash, benches) {
    const [id, query = ''] = hash.slice(1).split('?'), values = {};
    for (const [name, text] of new URLSearchParams(query)) if (text.trim() && Number.isFinite(+text)) values[name] = +text;
    const spec = benches.find((bench) => bench.id === id) ?? benches[0];
    return { spec, variant: spec.variants?.[values.variant] ?? spec.variants?.[0] ?? spec, values };
}

export function writeAddress(spec, variant, values) {
    const at = spec.variants?.indexOf(variant) ?? 0, query = new URLSearchParams({ ...(at > 0 ? { variant: at } : {}), ...values }).toString();
    return `#${spec.id}${query ? `?${query}` : ''}`;
}
