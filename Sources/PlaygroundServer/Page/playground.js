"use strict"
/* The playground: runs the script as far as it should, and shows what each statement did. The
   drawing of lists is that of the pages of `frc play`. */

class LiveRecording extends Recording {
  constructor() { super({ title: "", lines: [], steps: [] }) }

  add(step) {
    step = { frames: [], reasons: [], lists: [], unsaved: {}, ...step, hasLead: false }
    step.failed = step.frames.some(frame => frame.event.event === "error")
    const index = this.steps.push(step) - 1
    this.firsts.push(this.positions.length)
    const last = Math.max(step.frames.length, 1)
    for (let frame = 1; frame <= last; frame++) this.positions.push({ step: index, frame })
    this.lasts.push(this.positions.length - 1)
  }

  /* Keeps the first statements only. */
  cut(count) {
    if (count >= this.steps.length) return
    const end = this.firsts[count]
    this.steps.length = this.firsts.length = this.lasts.length = count
    this.positions.length = end
    this.marks = this.marks.filter(mark => mark.at < end)
    if (this.current.at >= end) this.current = this.copy(this.marks.at(-1))
  }
}

const live = new LiveRecording()
const editor = new Editor()
/* The line up to which the script should have run; 0 for none. */
let until = 0
let running = 0
/* The number of the last run that has ended. */
let ended = 0
let total = 0
let shown = -1
let openRow = null
/* The script that was opened last, which can be opened again. */
let openedText = null
const answers = new Map()

// MARK: Running

const startsOf = () => live.steps.map(step => step.lines[0])

function run(line) {
  clearTimeout(follow.timer)
  until = line
  running = session.ask("r", { op: "run", text: editor.text, line })
  if (!session.isOpen || !running) return
  run.time = performance.now()
  clearTimeout(run.timer)
  run.timer = setTimeout(() => { byID("stop").disabled = false }, 150)
}

/* Runs again what has run, after a change above it. */
function follow() {
  if (until > 0) run(until)
}

session.listen("r", message => {
  const { op, id } = message
  if (answers.has(id)) {
    answers.get(id)(message)
    answers.delete(id)
    return
  }
  if (message.failure) {
    clearTimeout(run.timer)
    byID("stop").disabled = true
    ended = running
    return session.tell(message.failure)
  }
  // Also those of an earlier run: the process counts on what it has sent.
  if (op === "back") {
    live.cut(message.count)
    message.lines.forEach((lines, index) => { if (live.steps[index]) live.steps[index].lines = lines })
    redraw()
  } else if (op === "step") {
    live.add({ ...message.step, ms: message.ms })
    redraw()
  } else if (op === "done") {
    if (id !== running) return
    clearTimeout(run.timer)
    byID("stop").disabled = true
    total = message.of
    drawAll()
    ended = id
    drawRan(message)
    if (message.stopped) session.tell(`Stopped: ${message.stopped}.`)
    else if (byID("status").textContent.startsWith("Stopped")) session.tell("")
    announce()
  }
})

session.begins(() => {
  live.cut(0)
  redraw()
  if (until > 0) run(until)
})

session.onclose = () => { byID("stop").disabled = true }

function drawRan(message) {
  byID("ran").textContent = `${live.steps.length} of ${total} statements ran`
    + (message?.failed ? "; the last one failed" : "")
  byID("undo").disabled = live.steps.length === 0
}

/* Draws at once, so that a statement's output is there in the next frame. Where many statements
   arrive, one after the other, most of the time is left to the browser. */
function redraw() {
  if (redraw.timer) return
  redraw.timer = setTimeout(drawAll, performance.now() < redraw.free ? 50 : 0)
  if (performance.now() >= redraw.free) queueMicrotask(drawAll)
}
redraw.free = 0

function drawAll() {
  if (!redraw.timer) return
  clearTimeout(redraw.timer)
  redraw.timer = 0
  const began = performance.now()
  editor.marks = new Map()
  for (const { lines: [first, last], failed } of live.steps)
    for (let line = first; line <= last; line++) editor.marks.set(line, failed ? "failed" : "ran")
  editor.draw()
  show(live.steps.length - 1, true)
  redraw.free = 2 * performance.now() - began
}

/* Says for a screen reader what the last statement did. */
function announce() {
  const step = live.steps.at(-1)
  if (!step) return
  const lines = step.frames.flatMap(frame => frame.event.text)
  speak(`Line ${step.lines[0]}: ${lines.slice(0, 4).join(". ") || "no output"}${lines.length > 4 ? `, and ${lines.length - 4} more` : ""}`)
}

// MARK: Output beside the script

editor.ondraw = (first, last) => {
  const notes = []
  // The first statement that ends where something can be seen.
  let index = 0
  for (let end = live.steps.length; index < end;) {
    const middle = (index + end) >> 1
    if (live.steps[middle].lines[1] < first) index = middle + 1
    else end = middle
  }
  for (; index < live.steps.length && live.steps[index].lines[0] <= last + 1; index++) {
    const step = live.steps[index]
    const [start] = step.lines
    const next = live.steps[index + 1]?.lines[0] ?? start + 9
    if (next !== start) notes.push({ index, step, start, room: Math.max(1, next - start) })
  }
  // Most keys change no output.
  const same = editor.ondraw.notes ?? []
  if (notes.length === same.length && notes.every((note, at) => note.step === same[at].step
    && note.start === same[at].start && note.room === same[at].room)) return
  editor.ondraw.notes = notes
  byID("notes").replaceChildren(...notes.map(noteOf).filter(Boolean))
}

function noteOf({ index, step, start, room }) {
  const all = step.frames.flatMap(frame => frame.event.text)
  // Where there is little room, the lines that every batch has can be spared.
  const lines = all.length <= room ? all
    : step.frames.filter(frame => !/^(will|did)ChangeContent$/.test(frame.event.event)).flatMap(frame => frame.event.text)
  if (lines.length === 0) return null
  const note = make("div", step.failed ? "failed" : "")
  const shownLines = lines.length > room ? lines.slice(0, room) : lines
  write(note, shownLines.join("\n"))
  if (lines.length > room) note.append(make("em", "", ` +${lines.length - room}`))
  note.style.top = `${(start - 1) * lineHeight}px`
  note.style.height = `${Math.min(room, shownLines.length) * lineHeight}px`
  note.title = all.slice(0, 40).join("\n")
  note.dataset.line = start
  note.onclick = () => { editor.goTo(start); show(index, false) }
  return note
}

/* The statement at the cursor, or the last one above it that ran. */
const stepAtCursor = () => live.steps.findLastIndex(step => step.lines[0] <= editor.line)

// MARK: One statement

function show(index, isNew) {
  const at = live.lasts[index]
  const isSame = index === shown && !isNew
  shown = index
  drawLists(live, at ?? -1, isSame ? 0 : 350)
  const step = live.steps[index]
  write(byID("statement"), step ? editor.lines.slice(step.lines[0] - 1, step.lines[1]).join("\n") : "Nothing has run yet.")
  const items = step ? eventItems(index) : []
  if (step && items.length === 0) items.push(make("li", "silent", "Nothing is printed, and no callback is sent."))
  byID("events").replaceChildren(...items)
}

function eventItems(index) {
  const { frames } = live.steps[index]
  const { sent, silent } = live.reasons(index)
  const items = frames.slice(0, 500).map(({ event }, place) => eventItem(event, sent[place]))
  if (frames.length > 500) items.push(make("li", "silent", `… ${frames.length - 500} more`))
  for (const reason of silent.slice(0, 50)) items.push(eventItem({ event: "silent", text: [reason.text[0]] }, [reason]))
  return items
}

/* An event; a click explains it. */
function eventItem(event, reasons) {
  const item = make("li", event.type ?? event.event)
  item.append(make("span", "sign", signs[event.type] ?? ""))
  const body = make("div")
  const lines = event.text.length ? event.text : [event.reason ?? event.event]
  const why = reasons.flatMap(reason => reason.within ? reason.text : reason.text.slice(1))
  const what = make(why.length ? "button" : "div", "what")
  write(what, lines.join("\n"))
  body.append(what)
  if (why.length) {
    what.type = "button"
    what.setAttribute("aria-expanded", "false")
    what.title = "Explain"
    const text = make("div", "why")
    text.hidden = true
    for (const line of why) text.append(write(make("p"), line.trim()))
    what.onclick = () => {
      text.hidden = !text.hidden
      what.setAttribute("aria-expanded", String(!text.hidden))
    }
    body.append(text)
  }
  item.append(body)
  return item
}

// MARK: Asking

/* Sends a request, and calls a function with its answer. */
function request(message, answer) {
  session.whenOpen(() => {
    const id = session.ask("r", { text: editor.text, ...message })
    if (id) answers.set(id, answer)
  })
}

function whatIf() {
  request({ op: "try", line: editor.line }, message => {
    const [first, last] = message.lines ?? [editor.line, editor.line]
    write(byID("statement"), `What if this ran now?\n${editor.lines.slice(first - 1, last).join("\n")}`)
    const items = (message.events ?? []).map(event => eventItem(event, []))
    if (message.failure) items.push(make("li", "error", message.failure))
    if (items.length === 0) items.push(make("li", "silent", "It would print nothing and send no callback."))
    byID("events").replaceChildren(...items)
    shown = -1
    byID("events").classList.add("what-if")
    speak(`What if: ${byID("events").innerText}`)
    byID("events").focus()
  })
}

function undo() {
  const last = live.steps.at(-1)
  if (!last) return
  // A line may have several statements; they go together.
  const before = live.steps.findLast(step => step.lines[0] < last.lines[0])
  run(before?.lines[0] ?? 0)
}

// MARK: Files

async function list() {
  const answer = await fetch("list.json")
  if (!answer.ok) return
  const { examples, included, folder, class: isClass, role } = await answer.json()
  byID("to-class").hidden = !(isClass && role === "owner")
  list.isClass = isClass
  const group = (label, paths, start) => {
    if (paths.length === 0) return
    const group = make("optgroup")
    group.label = label
    for (const path of paths) {
      const option = make("option")
      option.textContent = path
      option.value = start + path.split("/").map(encodeURIComponent).join("/")
      group.append(option)
    }
    byID("open").append(group)
  }
  const file = make("option", "", "a file of this computer")
  file.value = "file"
  byID("open").append(file)
  group("Folder", folder, "folder/")
  group("Examples", examples, "example/")
  group("Files that examples include", included, "example/")
}

/* Opens a script and runs it. A part of an example does nothing by itself, so it is only shown. */
function open(text, name) {
  session.tell("")
  until = 0
  editor.text = text
  dropLink()
  editor.area.focus()
  openRow = name
  run(name.endsWith(".part") ? 0 : text.split("\n").length)
}

/* Opens a script in place of the one here, if the user wants to lose that. */
function openInstead(text, name) {
  if (editor.text !== openedText && !mayReplace(editor.text, text, "file")) return
  open(text, name)
  openedText = editor.text
}

async function openChosen(path) {
  byID("open").value = ""
  if (path === "file") return byID("file").click()
  let text
  try {
    const answer = await fetch(path)
    if (!answer.ok) return session.tell("The script cannot be opened: it is gone, larger than 2 MB, or not UTF-8.")
    text = await answer.text()
  } catch {
    return session.tell("The server does not answer.")
  }
  openInstead(text, decodeURIComponent(path.split("/").at(-1)))
}

async function save(kind) {
  byID("save").value = ""
  const name = (openRow ?? "script").replace(/\.frc$/, "")
  const receive = file => message => message.failure ? session.tell(message.failure)
    : download(file, message.text, file.endsWith("html") ? "text/html" : "text/plain")
  if (kind === "frc") download(`${name}.frc`, editor.text)
  else if (kind === "golden") request({ op: "golden" }, receive(`${name}.frc`))
  else if (kind === "page") request({ op: "page", title: name }, receive(`${name}.html`))
  else if (kind === "link") {
    if (new Blob([editor.text]).size > mostScriptBytes)
      return session.tell("The script is larger than 2 MB, so no link can have it.")
    const fragment = await packed(editor.text)
    history.replaceState(null, "", fragment)
    const address = list.isClass ? `${location.origin}/${fragment}` : location.href
    try { await navigator.clipboard.writeText(address) } catch { /* It is in the address bar. */ }
    session.tell("The address of this page has the script, and is copied.")
  }
}

// MARK: Keys and controls

editor.onchange = (event, old) => {
  // Without an event, the page itself has put a text in.
  if (event) {
    dropLink()
    until += linesAbove(until, old, editor.lines)
  }
  clearTimeout(save.timer)
  save.timer = setTimeout(keep, 200)
  const end = live.steps.findLast(step => step.lines[0] <= until)
  clearTimeout(follow.timer)
  if (end) follow.timer = setTimeout(follow, 250)
}

/* How many lines an edit has put in above a line that it keeps; 0 if it changes that line. */
function linesAbove(line, old, now) {
  const shorter = Math.min(old.length, now.length)
  let [start, end] = [0, 0]
  while (start < shorter && old[start] === now[start]) start++
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  return line <= old.length && line > old.length - end ? now.length - old.length : 0
}

/* The address keeps no script that is older than the one here: a reload would bring it back. */
function dropLink() {
  if (location.hash.startsWith("#s=")) history.replaceState(null, "", location.pathname + location.search)
}

/* Whether the script of a link or a file may take the place of the one that is kept. */
const mayReplace = (old, other, source = "link") => !old.trim() || old === other
  || confirm(`The ${source} has another script than the one that this browser keeps. Replace the script that is kept?`)

function keep() {
  kept.set("frc script", editor.text)
  kept.set("frc until", String(until))
  if (kept.student) session.send("s", { script: editor.text.slice(0, 200_000).replace(/[\ud800-\udbff]$/, "") })
}

editor.oncursor = () => {
  const { line } = editor
  // A key that changes the text is no wish to see another statement.
  if (line === editor.oncursor.line) return
  editor.oncursor.line = line
  if (redraw.timer || ended < running) return
  const index = stepAtCursor()
  byID("events").classList.remove("what-if")
  if (index !== shown) show(index, false)
}

editor.onkey = event => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
  const line = editor.line
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault()
    return run(line)
  }
  // After the browser has put the new line in.
  if (!event.altKey) setTimeout(() => run(Math.max(line, until)))
}

addEventListener("keydown", event => {
  if (byID("playground").hidden) return
  const isCommand = event.ctrlKey || event.metaKey
  const action = isCommand && event.shiftKey && event.key === "Enter" ? () => run(editor.lines.length)
    : event.altKey && event.code === "KeyW" ? whatIf
    : event.altKey && event.code === "KeyZ" ? undo : null
  if (!action) return
  event.preventDefault()
  event.stopPropagation()
  action()
}, true)

byID("run").onclick = () => run(editor.line)
byID("run-all").onclick = () => run(editor.lines.length)
byID("what-if").onclick = whatIf
byID("undo").onclick = undo
byID("stop").onclick = () => session.ask("r", { op: "stop" })
byID("open").onchange = event => event.target.value && openChosen(event.target.value)
byID("save").onchange = event => event.target.value && save(event.target.value)
byID("file").onchange = async event => {
  const [file] = event.target.files
  event.target.value = ""
  if (!file) return
  if (file.size > mostScriptBytes) return session.tell("The file is larger than 2 MB.")
  let text
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    return session.tell("The file cannot be opened: it is not UTF-8.")
  }
  openInstead(text, file.name)
}
addEventListener("pagehide", keep)

function choosePart(name) {
  for (const part of ["playground", "course"]) {
    byID(part).hidden = part !== name
    byID(`to-${part}`).setAttribute("aria-pressed", String(part === name))
  }
  place.set("frc part", name)
  if (name === "playground") editor.draw()
  else openCourse()
}
// Where there is little room, the results matter more.
byID("help").open = innerWidth > 640
byID("to-playground").onclick = () => choosePart("playground")
byID("to-course").onclick = () => choosePart("course")

async function start() {
  let text = kept.get("frc script") ?? ""
  until = Number(kept.get("frc until")) || 0
  const readLink = async () => {
    try {
      return await unpacked(location.hash)
    } catch (error) {
      session.tell(error instanceof RangeError ? "The script of the link is larger than 2 MB."
        : "The address has a damaged script.")
      return null
    }
  }
  let isLinked = false
  if (location.hash.startsWith("#s=")) {
    const linked = await readLink()
    if (linked === null || !mayReplace(text, linked)) dropLink()
    else if (linked !== text) [text, until, isLinked] = [linked, 0, true]
  }
  const wanted = until
  editor.text = text
  until = wanted
  drawRan()
  show(-1, true)
  // The script of another link is to be seen.
  if (place.get("frc part") === "course" && !isLinked) choosePart("course")
  session.connect()
  list()
  addEventListener("hashchange", async () => {
    if (!location.hash.startsWith("#s=")) return
    const linked = await readLink()
    if (linked === null || !mayReplace(editor.text, linked)) return dropLink()
    if (linked === editor.text) return
    choosePart("playground")
    open(linked, "script")
  })
}
