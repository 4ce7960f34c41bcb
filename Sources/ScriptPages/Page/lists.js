/* A controller or a table as a list of rows. Only rows near what can be seen are in the document;
   those that stay glide to their new places, others fade. */

let rowHeight = 28
let printing = false
const views = new Map()
const columns = new Map()
const calm = matchMedia("(prefers-reduced-motion: reduce)")

class ListView {
  constructor(name) {
    this.element = make("section", "list")
    this.title = make("h4")
    this.viewport = make("div", "viewport")
    this.viewport.tabIndex = 0
    this.canvas = make("div", "canvas")
    this.gone = make("ul", "gone")
    this.viewport.setAttribute("role", "table")
    this.canvas.setAttribute("role", "rowgroup")
    this.viewport.append(this.canvas)
    this.element.append(this.title, this.viewport, this.gone)
    this.element.dataset.name = name
    this.name = name
    this.rows = new Map()
    this.list = { items: [], texts: new Map() }
    // Kept here, since to ask for it while rows change would lay the page out again each time.
    this.top = 0
    this.viewport.addEventListener("scroll", () => {
      this.top = this.viewport.scrollTop
      this.draw(this.list.items, 0)
    })
  }

  /* Shows a list; rows move for so many milliseconds. */
  show(list, isTable, duration) {
    const old = this.list.items
    this.list = list
    this.places = Places.of(list.items)
    this.setHead(list, isTable)
    this.marks = this.marksOf(list)
    this.canvas.style.height = `${Math.max(list.items.length, 1) * rowHeight}px`
    this.viewport.setAttribute("aria-rowcount", list.items.length)
    this.revealChange()
    this.draw(old, calm.matches ? 0 : duration)
    this.setGone(list)
  }

  /* Draws the rows again after their height has changed. */
  resize() {
    this.canvas.style.height = `${Math.max(this.list.items.length, 1) * rowHeight}px`
    this.draw(this.list.items, 0)
  }

  setHead({ head }, isTable) {
    const { rows } = this.places
    const state = head.state ?? (rows === 1 ? "1 row" : `${rows} rows`)
    write(this.title, this.name)
    this.title.append(write(make("small"), isTable ? `table of ${head.controller} · ${state}` : state))
    const word = head.observer ? "observer" : "controller"
    const kind = isTable ? `table of ${head.controller}` : `${word} on ${head.context}`
    this.viewport.setAttribute("aria-label", `${this.name}, ${kind}`)
    this.element.classList.toggle("wrong", Boolean(head.state?.includes("exception")))
  }

  /* What became of rows and sections in this step so far; in a table, what `show` marks. */
  marksOf(list) {
    if (list.table) return new Map((list.table.items ?? []).map(([item, type]) => [keyOf(item), { type }]))
    const marks = new Map()
    for (const event of list.callbacks) {
      const key = event.event === "didChangeSection" ? "s" + event.name : rowOf(event.object)
      const isNew = marks.get(key)?.type === "insert" && event.type !== "delete"
      marks.set(key, isNew ? marks.get(key) : event)
    }
    for (const [key, type] of list.untold ?? []) marks.set(key, { type })
    return marks
  }

  /* The most that a list shows at once; the style sheet's `max-height` agrees. */
  static get height() { return innerHeight * (innerWidth > 960 ? .55 : .4) }

  /* Scrolls to the row that the last callback is about, if it cannot be seen. */
  revealChange() {
    const last = this.list.callbacks.at(-1)
    const key = last?.object && rowOf(last.object)
    const index = this.places.indices.get(key)
    if (index === undefined || last === this.revealed) return
    this.revealed = last
    const height = ListView.height
    const top = index * rowHeight
    if (top >= this.top && top + rowHeight <= this.top + height) return
    const bottom = Math.max(0, this.list.items.length * rowHeight - height)
    this.top = Math.min(Math.max(0, top - height / 2), bottom)
    this.viewport.scrollTop = this.top
  }

  /* The index paths of items: in a batch that is not over those of rows that were told are new,
     and those of the others old. */
  pathOf(key) {
    const { before, after, items, come } = this.list
    const now = Places.of(after ?? items).path(key)
    if (!before) return [now, ""]
    return come.has(key) ? [now, "new"] : [Places.of(before).path(key) ?? now, "old"]
  }

  /* Puts the rows that can be seen into the document, and moves those that were elsewhere. */
  draw(old, duration) {
    const { items } = this.list
    const before = old !== items && old.length > 0 && duration > 0 ? Places.of(old).indices : null
    const { height } = ListView
    const first = Math.max(0, Math.floor(this.top / rowHeight) - 8)
    const last = printing ? Math.min(items.length, 500)
      : Math.min(items.length, Math.ceil((this.top + height) / rowHeight) + 8)
    const wanted = new Set(items.slice(first, last))
    for (const [key, row] of this.rows) {
      if (wanted.has(key)) continue
      this.rows.delete(key)
      this.leave(row, before ? this.places.indices.get(key) : -1, duration)
    }
    let index = first
    for (const key of items.slice(first, last)) {
      const row = this.rows.get(key) ?? this.add(key)
      this.fill(row, key, index)
      // In the order of the rows, for screen readers.
      if (row.element !== this.canvas.children[index - first])
        this.canvas.insertBefore(row.element, this.canvas.children[index - first] ?? null)
      if (before) this.arrive(row, before.get(key), index, duration, height)
      index++
    }
  }

  add(key) {
    const element = make("div", key[0] === "s" ? "section" : "row")
    element.setAttribute("role", "row")
    const row = { element, key, drawn: "" }
    this.rows.set(key, row)
    return row
  }

  fill(row, key, index) {
    const { element } = row
    row.index = index
    element.style.top = `${index * rowHeight}px`
    element.setAttribute("aria-rowindex", index + 1)
    const type = this.marks.get(key)?.type ?? ""
    const isSection = key[0] === "s"
    const [path, age] = isSection ? ["", ""] : this.pathOf(key)
    const text = isSection ? [String(this.places.count(index))] : this.list.texts.get(key) ?? [key.slice(1)]
    const drawn = JSON.stringify([type, path, age, text])
    if (drawn === row.drawn) return
    row.drawn = drawn
    element.className = `${isSection ? "section" : "row"} ${type}`
    element.dataset.key = key
    element.textContent = ""
    const sign = make("span", "sign", signs[type] ?? "")
    sign.setAttribute("role", "cell")
    if (type) sign.setAttribute("aria-label", type)
    element.append(sign)
    if (isSection) {
      element.append(this.cell("shown", key.slice(1) || "(no name)", "rowheader"), this.cell("count", text[0]))
      return
    }
    const [object, shown, remark] = text
    element.append(this.cell(`path ${age}`, path ?? ""), this.cell("object", object), this.cell("shown", shown ?? ""))
    if (age) element.children[1].setAttribute("aria-label", `${path} ${age}`)
    if (remark) element.append(this.cell(`remark ${remark === "fault" ? "fault" : ""}`, remark))
  }

  cell(classes, text, role = "cell") {
    const cell = write(make(classes === "shown" ? "bdi" : "span", classes), text)
    cell.setAttribute("role", role)
    cell.title = cell.textContent
    return cell
  }

  arrive(row, oldIndex, index, duration, height) {
    if (oldIndex === index) return
    const far = Math.max(-height, Math.min(height, (oldIndex - index) * rowHeight))
    const way = oldIndex === undefined
      ? [{ opacity: 0 }, { opacity: 1 }]
      : [{ transform: `translateY(${far}px)` }, { transform: "none" }]
    row.element.style.zIndex = this.marks.has(row.key) ? 2 : 1
    row.movement?.cancel()
    row.movement = row.element.animate(way, { duration, easing: "ease-in-out" })
  }

  /* A row that went fades; one that is elsewhere now is let go at once. */
  leave(row, index, duration) {
    if (duration === 0 || index !== undefined) return row.element.remove()
    row.element.setAttribute("aria-hidden", "true")
    row.element.classList.add("leaving")
    this.canvas.append(row.element)
    row.element.animate([{ opacity: 1 }, { opacity: 0, transform: "translateX(12px)" }], { duration, fill: "forwards" })
      .finished.finally(() => row.element.remove())
  }

  /* What is gone: each with its old index path, its object and its text. */
  setGone({ callbacks, texts, table }) {
    const gone = table ? table.gone ?? [] : callbacks.filter(event => event.type === "delete" && event.object)
      .map(event => {
        const [object, shown] = texts.get(rowOf(event.object)) ?? [event.object]
        return [event.indexPath, object, shown]
      })
    this.gone.replaceChildren(...gone.slice(0, 20).map(([path, object, shown]) => {
      const item = make("li")
      item.append(make("span", "sign", "-"), make("span", "path old", path ? `[${path.join(", ")}]` : ""),
        write(make("span", "object"), object ?? ""), write(make("bdi", "shown"), shown || (path ? "" : "(no name)")))
      item.setAttribute("aria-label", `deleted ${object ?? shown}`)
      return item
    }))
    this.gone.hidden = gone.length === 0
  }
}

/* Draws the lists at a position, or none before the first one. */
function drawLists(recording, at, duration) {
  const { lists, unsaved } = at < 0 ? { lists: new Map(), unsaved: {} } : recording.state(at)
  for (const [name, view] of views) {
    if (lists.has(name)) continue
    view.element.remove()
    views.delete(name)
  }
  const contexts = new Set()
  for (const [name, { head }] of lists) {
    contexts.add(head.context)
    const isNew = !views.has(name)
    const view = views.get(name) ?? new ListView(name)
    views.set(name, view)
    const column = columnOf(head.context)
    if (view.element.parentElement !== column) column.append(view.element)
    view.show(recording.shown(at, name), head.controller !== undefined, isNew ? 0 : duration)
  }
  for (const [name, column] of columns) {
    column.hidden = !contexts.has(name)
    column.classList.toggle("only", contexts.size === 1)
    const [inserted, updated, deleted] = unsaved[name] ?? [0, 0, 0]
    const parts = [[inserted, "inserted"], [updated, "updated"], [deleted, "deleted"]].filter(([count]) => count)
    const title = column.firstChild
    write(title, `context ${name}`)
    title.classList.toggle("unsaved", parts.length > 0)
    title.append(make("small", "", parts.length ? `not saved: ${parts.map(([count, what]) => `${count} ${what}`).join(", ")}` : "all saved"))
  }
  byID("empty").hidden = lists.size > 0
}

function columnOf(context) {
  if (!columns.has(context)) {
    const column = make("div", "context")
    column.append(make("h3"))
    columns.set(context, column)
    byID("contexts").append(column)
  }
  return columns.get(context)
}

addEventListener("beforeprint", () => { printing = true; for (const view of views.values()) view.draw(view.list.items, 0) })
addEventListener("afterprint", () => { printing = false; for (const view of views.values()) view.draw(view.list.items, 0) })
addEventListener("resize", () => { for (const view of views.values()) view.draw(view.list.items, 0) })
