/* What a script did. A *position* is a moment in it: a step (a statement) and a frame of it
   (an event). Frame 0 is the moment before the first event, in statements that have callbacks. */

/* A character that would change how others are shown, or not be shown itself, by its code. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/* Puts text into an element: as text, whatever it says. */
function write(element, text) {
  element.textContent = ""
  let end = 0
  for (const found of String(text).matchAll(hidden)) {
    element.append(text.slice(end, found.index))
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")
    element.append(make("span", "control", `U+${code}`))
    end = found.index + found[0].length
  }
  element.append(String(text).slice(end))
  return element
}

const byID = id => document.getElementById(id)

function make(tag, classes = "", text = "") {
  const element = document.createElement(tag)
  if (classes) element.className = classes
  if (text) element.textContent = text
  return element
}

const callbackNames = new Set(["willChangeContent", "didChangeObject", "didChangeSection",
  "didChangeContent", "snapshot", "difference", "counts", "results", "replaced"])
const signs = { insert: "+", delete: "-", move: ">", update: "*" }

/* The row of an object: `Book/3` is row `r3`. */
const rowOf = object => "r" + object.slice(object.lastIndexOf("/") + 1)

/* The key of an item: a row, or a header in a list. */
const keyOf = item => typeof item === "string" ? "r" + item : "s" + item[0]

/* A list's items after edits: numbers of items that stay, numbers below zero of items that go,
   and lists of new items. */
function edited(items, edits) {
  const result = []
  let place = 0
  for (const edit of edits) {
    if (Array.isArray(edit)) for (const item of edit) result.push(keyOf(item))
    else if (edit > 0) for (const end = place + edit; place < end; place++) result.push(items[place])
    else place -= edit
  }
  return result
}

/* The sections of a list: the key of each header, or null if the list has none, and its rows. */
function sectionsOf(items) {
  const sections = new Map()
  let rows
  for (const key of items) {
    if (key[0] === "s") sections.set(key, rows = [])
    else {
      if (!rows) sections.set(null, rows = [])
      rows.push(key)
    }
  }
  return sections
}

/* Puts those of `wanted` that a list lacks into it, each after the nearest item before it in
   `order` that the list has. */
function placed(list, order, wanted) {
  const has = new Set(list)
  const first = []
  const after = new Map()
  let last
  for (const key of order) {
    if (has.has(key)) { last = key; continue }
    if (!wanted(key)) continue
    if (last === undefined) first.push(key)
    else after.set(last, [...after.get(last) ?? [], key])
  }
  return [...first, ...list.flatMap(key => [key, ...after.get(key) ?? []])]
}

/* The items in the middle of a batch: what was announced is as after the batch, and the rest is as
   before it. A header whose deletion was announced stays until its last row has gone. */
function partial(before, after, { come, gone }) {
  const [old, now] = [sectionsOf(before), sectionsOf(after)]
  const isLeft = key => !gone.has(key) && !come.has(key)
  const left = new Map([...old].map(([header, rows]) => [header, rows.filter(isLeft)]))
  const stays = header => header === null || isLeft(header)
    || !come.has(header) && left.get(header).length > 0
  const headers = placed([...old.keys()].filter(stays), [...now.keys()],
    header => header === null || come.has(header) || now.get(header).some(key => come.has(key))
      || left.get(header)?.length > 0)
  return headers.flatMap(header => {
    const rows = placed(left.get(header) ?? [], now.get(header) ?? [], key => come.has(key))
    return header === null ? rows : [header, ...rows]
  })
}

/* Where the items of a list are. */
class Places {
  static known = new WeakMap()

  static of(items) {
    if (!Places.known.has(items)) Places.known.set(items, new Places(items))
    return Places.known.get(items)
  }

  constructor(items) {
    this.indices = new Map()
    this.headers = []
    items.forEach((key, index) => {
      this.indices.set(key, index)
      if (key[0] === "s") this.headers.push(index)
    })
    this.rows = items.length - this.headers.length
    this.end = items.length
  }

  /* The number of headers above an index, and the index of the nearest. */
  section(index) {
    let [low, high] = [0, this.headers.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.headers[middle] <= index) low = middle + 1; else high = middle
    }
    return low
  }

  /* The index path of a row; undefined if it is not there. */
  path(key) {
    const index = this.indices.get(key)
    if (index === undefined) return undefined
    const section = this.section(index)
    return section === 0 ? `[0, ${index}]` : `[${section - 1}, ${index - this.headers[section - 1] - 1}]`
  }

  /* How many rows are below the header at an index. */
  count(index) { return (this.headers[this.section(index)] ?? this.end) - index - 1 }
}

class Recording {
  constructor(data) {
    this.title = data.title
    this.lines = data.lines
    this.asks = data.asks ?? false
    this.steps = data.steps.map(step => ({ frames: [], reasons: [], lists: [], unsaved: {}, ...step }))
    this.positions = []
    this.firsts = []
    this.lasts = []
    this.steps.forEach((step, index) => {
      step.hasLead = step.reasons.length > 0 || step.frames.some(f => callbackNames.has(f.event.event))
      this.firsts.push(this.positions.length)
      const last = Math.max(step.frames.length, 1)
      for (let frame = step.hasLead ? 0 : 1; frame <= last; frame++) this.positions.push({ step: index, frame })
      this.lasts.push(this.positions.length - 1)
    })
    this.current = { at: -1, state: { lists: new Map(), unsaved: {} } }
    this.marks = [{ at: -1, state: { lists: new Map(), unsaved: {} } }]
  }

  /* The fragment of a position: `#12` for the end of the 12th statement, `#12.3` within it. */
  fragment(at) {
    const { step, frame } = this.positions[at]
    return at === this.lasts[step] ? `#${step + 1}` : `#${step + 1}.${frame}`
  }

  /* The position of a fragment; undefined if there is none. */
  place(fragment) {
    const found = /^#(\d+)(?:\.(\d+))?$/.exec(fragment)
    const step = found ? Number(found[1]) - 1 : -1
    if (!(step in this.steps)) return undefined
    if (found[2] === undefined) return this.lasts[step]
    const offset = Number(found[2]) - this.positions[this.firsts[step]].frame
    return Math.min(Math.max(this.firsts[step] + offset, this.firsts[step]), this.lasts[step])
  }

  /* What changes in lists on the way into a position. */
  changes(at) {
    const { step, frame } = this.positions[at]
    const { frames, lists } = this.steps[step]
    const own = frame > 0 && frames[frame - 1]?.lists || []
    return at === this.lasts[step] ? own.concat(lists) : own
  }

  /* What controllers and tables show at a position, by their names. */
  state(at) {
    if (at < this.current.at) this.current = this.copy(this.marks.findLast(mark => mark.at <= at))
    const mark = this.marks.findLast(mark => mark.at <= at)
    if (mark.at > this.current.at) this.current = this.copy(mark)
    while (this.current.at < at) this.advance()
    return this.current.state
  }

  advance() {
    const { current } = this
    const at = ++current.at
    const { step, frame } = this.positions[at]
    if (this.steps[step].session && at === this.firsts[step])
      current.state = { lists: new Map(), unsaved: {} }
    for (const [name, change] of this.changes(at)) Recording.apply(current.state.lists, name, change, step)
    Object.assign(current.state.unsaved, this.steps[step].frames[frame - 1]?.unsaved,
      at === this.lasts[step] ? this.steps[step].unsaved : {})
    if (at - this.marks.at(-1).at >= 256) this.marks.push(this.copy(current))
  }

  static apply(lists, name, change, step) {
    if (!change) return lists.delete(name)
    const list = lists.get(name) ?? { items: [], texts: new Map(), step: -1 }
    const isSame = list.step === step
    lists.set(name, {
      head: change.head ?? list.head,
      items: change.edits ? edited(list.items, change.edits) : list.items,
      texts: list.texts,
      marks: change.marks ?? list.marks, marked: change.marks ? step : list.marked,
      // How the list was before the step, and what became of it since.
      step, start: isSame ? list.start : list.items, changes: isSame ? [...list.changes, change] : [change],
    })
    for (const key in change.texts) list.texts.set("r" + key, change.texts[key])
  }

  /* The rows that came, moved or changed in a step without a callback. */
  static untold(list, step) {
    const marks = new Map()
    if (list.step !== step || list.start.length === 0) return marks
    const known = new Set(list.start)
    for (const { edits = [], texts } of list.changes) {
      for (const key in texts) marks.set("r" + key, known.has("r" + key) ? "update" : "insert")
      for (const item of edits.filter(Array.isArray).flat(1)) {
        const key = keyOf(item)
        marks.set(key, known.has(key) ? "move" : "insert")
      }
    }
    return marks
  }

  copy({ at, state }) {
    const lists = new Map()
    for (const [name, list] of state.lists) lists.set(name, { ...list, texts: new Map(list.texts) })
    return { at, state: { lists, unsaved: { ...state.unsaved } } }
  }

  /* The callbacks of a controller in a step up to a frame, and those of the batch that is not over. */
  told(at, name) {
    const { step, frame } = this.positions[at]
    const all = []
    let open = null
    for (const { event, lists } of this.steps[step].frames.slice(0, frame)) {
      if (event.controller !== name || !callbackNames.has(event.event)) continue
      if (event.event === "willChangeContent") { open = []; continue }
      if (event.event.startsWith("didChange") && event.type) {
        all.push(event)
        open?.push(event)
      }
      if (lists?.some(([list, change]) => list === name && change?.edits) || event.event === "didChangeContent") open = null
    }
    return { all, open }
  }

  /* What is shown of a list at a position: within a batch, what was told so far. */
  shown(at, name) {
    const list = this.state(at).lists.get(name)
    const { all, open } = this.told(at, name)
    const result = { ...list, callbacks: all, before: null }
    const { step, frame } = this.positions[at]
    if (list.head.controller !== undefined) {
      // In the middle of a statement, the marks are not those of an earlier one.
      const isOld = frame > 0 && at !== this.lasts[step] && list.marked !== step
      return { ...result, table: isOld ? {} : list.marks ?? {} }
    }
    if (all.length === 0) result.untold = Recording.untold(list, step)
    if (!open) return result
    const { frames, lists } = this.steps[step]
    const later = [...frames.slice(frame).map(f => f.lists ?? []), lists]
    const { edits, texts = {} } = later.flat().find(([other, change]) => other === name && change)?.[1] ?? {}
    const announced = { come: new Set(), gone: new Set() }
    for (const event of open) {
      const key = event.event === "didChangeSection" ? "s" + event.name : rowOf(event.object)
      if (event.type !== "delete") announced.come.add(key)
      if (event.type !== "insert") announced.gone.add(key)
    }
    result.before = list.items
    result.come = announced.come
    // What came is shown with its text, which the batch's end brings.
    result.texts = { get: key => announced.come.has(key) && texts[key.slice(1)] || list.texts.get(key) }
    if (edits) {
      result.after = edited(list.items, edits)
      result.items = partial(list.items, result.after, announced)
      result.edits = edits
    } else {
      result.after = list.items
    }
    return result
  }

  /* The reasons of a step: by frame, and those of callbacks that were not sent. */
  reasons(step) {
    const found = this.steps[step]
    if (found.sorted) return found.sorted
    const key = (name, e) => JSON.stringify([name, e.controller, e.type, e.object, e.indexPath, e.newIndexPath, e.index, e.name])
    const waiting = new Map()
    const silent = []
    const parts = []
    for (const reason of found.reasons) {
      if (!reason.sent) silent.push(reason)
      else if (reason.within) parts.push(reason)
      else {
        const name = key(reason.callback, reason)
        waiting.set(name, [...waiting.get(name) ?? [], reason])
      }
    }
    const sent = found.frames.map(({ event }) => {
      const own = waiting.get(key(event.event, event))?.shift()
      return own ? [own] : []
    })
    for (const reason of parts) {
      const index = found.frames.findLastIndex(f => f.event.controller === reason.controller && f.event.event === reason.within)
      if (index >= 0) sent[index].push(reason); else silent.push(reason)
    }
    return found.sorted = { sent, silent }
  }
}
