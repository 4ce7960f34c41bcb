"""Draws how times grow with the number of rows, as SVG."""

import math
from html import escape

PANEL = (200, 120)
MARGIN = (46, 34)
COLUMNS = 4
INK, PALE, LINES = "#1f2328", "#d0d7de", ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#6e7781")


def shown(value, unit):
    """A number with a unit that keeps it short."""
    for factor, name in ((1e6, "s"), (1e3, "ms")) if unit == "µs" else ():
        if value >= factor:
            return f"{value / factor:g} {name}"
    return f"{value:g} {unit}".strip()


def panel(title, series, unit, left, top):
    """One figure: lines of times over sizes, both logarithmic, and the line that grows by ten."""
    width, height = PANEL
    sizes = [size for _, points in series for size, _ in points]
    times = [max(time, 1e-3) for _, points in series for _, time in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    high = max(high, low + 2)
    first, last = math.log10(min(sizes)), math.log10(max(sizes))

    def x(size):
        return left + width * (math.log10(size) - first) / max(last - first, 1e-9)

    def y(time):
        return top + height - height * (math.log10(max(time, 1e-3)) - low) / (high - low)

    parts = [f'<text x="{left}" y="{top - 8}" class="title">{escape(title)}</text>']
    for power in range(low, high + 1):
        line = y(10 ** power)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{line:.1f}" y2="{line:.1f}"/>')
        if (power - low) % max(1, (high - low) // 3) == 0:
            parts.append(f'<text x="{left - 5}" y="{line + 3:.1f}" class="axis" '
                         f'text-anchor="end">{shown(10 ** power, unit)}</text>')
    for size in sorted(set(sizes)):
        name = f"{size:,}".replace(",000,000", " M").replace(",000", " k")
        parts.append(f'<text x="{x(size):.1f}" y="{top + height + 13}" class="axis" '
                     f'text-anchor="middle">{name}</text>')
    for (name, points), color in zip(series, LINES):
        if not points:
            continue
        path = " ".join(f"{x(size):.1f},{y(time):.1f}" for size, time in points)
        parts.append(f'<polyline points="{path}" stroke="{color}"><title>{escape(name)}</title>'
                     "</polyline>")
        parts += [f'<circle cx="{x(size):.1f}" cy="{y(time):.1f}" r="2.5" fill="{color}"/>'
                  for size, time in points]
    return "\n".join(parts)


def page(panels, legend, unit):
    """An SVG picture of panels, each a title and its series of (size, time)."""
    width = COLUMNS * (PANEL[0] + MARGIN[0]) + 24
    step = PANEL[1] + MARGIN[1] + 18
    height = -(-len(panels) // COLUMNS) * step + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        "<style>text { font: 11px system-ui, sans-serif; fill: " + INK + "; } "
        ".title { font-weight: 600; } .axis { font-size: 9px; } "
        "line { stroke: " + PALE + "; stroke-width: 0.7; } "
        "polyline { fill: none; stroke-width: 1.8; }</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    offset = MARGIN[0]
    for name, color in zip(legend, LINES):
        parts.append(f'<rect x="{offset}" y="11" width="14" height="4" fill="{color}"/>'
                     f'<text x="{offset + 19}" y="17">{escape(name)}</text>')
        offset += 45 + 7 * len(name)
    for place, (title, series) in enumerate(panels):
        left = MARGIN[0] + place % COLUMNS * (PANEL[0] + MARGIN[0])
        top = 52 + place // COLUMNS * step
        parts.append(panel(title, series, unit, left, top))
    return "\n".join(parts + ["</svg>", ""])


def write(folder, name, panels, legend, unit):
    """Writes a picture: panels by their titles, with the points of each name of the legend."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.svg").write_text(page(
        [(title, [(line, series.get(line, [])) for line in legend])
         for title, series in panels.items()], legend, unit), encoding="utf-8")
