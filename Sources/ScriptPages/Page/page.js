/* The player: the position, what is drawn of it, and the controls. */

const recording = new Recording(JSON.parse(byID("recording").textContent))
let position = 0
let timer = null

const speak = text => { byID("live").textContent = text }
const quiz = new Quiz(recording, byID("quiz"), speak)
const isByTurn = () => byID("unit").value === "turn"
const speed = () => Number(byID("speed").value)

// MARK: Drawing

function drawLines() {
  const lines = byID("lines")
  const firstLines = new Map(recording.steps.map((step, index) => [step.lines[0], index]).reverse())
  recording.lines.forEach((text, index) => {
    const line = make("li")
    const step = firstLines.get(index + 1)
    const number = make(step === undefined ? "span" : "a", "number", String(index + 1))
    if (step !== undefined) {
      number.href = `#${step + 1}`
      number.tabIndex = -1
      number.setAttribute("aria-label", `Line ${index + 1}, statement ${step + 1}`)
    }
    if (/^\s*#>/.test(text)) line.className = "printed"
    else if (/^\s*#/.test(text)) line.className = "note"
    line.append(number, write(make("code"), text || " "))
    lines.append(line)
  })
}

function drawStatement(step) {
  const [first, last] = recording.steps[step].lines
  const lines = byID("lines")
  if (drawStatement.step === step) return
  drawStatement.step = step
  for (const line of lines.querySelectorAll(".here")) {
    line.classList.remove("here")
    line.removeAttribute("aria-current")
    line.firstChild.tabIndex = -1
  }
  const here = lines.children[first - 1]
  for (let line = first; line <= last; line++) lines.children[line - 1]?.classList.add("here")
  here?.setAttribute("aria-current", "step")
  if (here?.firstChild.href) here.firstChild.tabIndex = 0
  write(byID("statement"), recording.lines.slice(first - 1, last).filter(line => !/^\s*#>/.test(line)).join("\n"))
}

/* Marks the paths at the end of a callback's line as old and new. */
function writeCallback(element, event, text) {
  const paths = [event.indexPath && ["old", pathText(event.indexPath)], event.newIndexPath && ["new", pathText(event.newIndexPath)]].filter(Boolean)
  const tail = paths.map(([, path]) => path).join(" -> ")
  if (event.event !== "didChangeObject" || !tail || !text.endsWith(tail)) return write(element, text)
  write(element, text.slice(0, -tail.length))
  paths.forEach(([age, path], index) => {
    const mark = make("span", age, path)
    mark.title = `index path in the ${age} results`
    element.append(index ? " -> " : "", mark)
  })
  return element
}

function eventItem(classes, sign, lines, reasons, event) {
  const item = make("li", classes)
  item.append(make("span", "sign", sign))
  const body = make("div")
  lines.forEach((line, index) => body.append(index === 0 ? writeCallback(make("div", "what"), event, line) : write(make("div", "what"), line)))
  const why = make("div", "why")
  for (const reason of reasons)
    for (const line of reason.within ? reason.text : reason.text.slice(1)) why.append(write(make("p"), line.trim()))
  if (why.children.length) body.append(why)
  item.append(body)
  return item
}

function drawEvents({ step, frame }) {
  const list = byID("events")
  const { frames } = recording.steps[step]
  const { sent, silent } = recording.reasons(step)
  const items = []
  const first = Math.max(0, frame - 100)
  if (first > 0) items.push(make("li", "silent", `… ${first} earlier`))
  frames.slice(first, frame).forEach(({ event }, offset) => {
    const lines = event.text.length ? event.text : [event.reason ?? event.event]
    items.push(eventItem(event.type ?? event.event, signs[event.type] ?? "", lines, sent[first + offset], event))
  })
  items.at(-1)?.classList.add("latest")
  if (frame >= frames.length && frame > 0)
    for (const reason of silent.slice(0, 50)) items.push(eventItem("silent", "", [reason.text[0]], [reason], {}))
  if (items.length === 0) items.push(make("li", "silent", frame === 0 ? "The statement has not run yet." : "Nothing is printed, and no callback is sent."))
  list.replaceChildren(...items)
}

/* Brings the statement and the latest event into view; all is measured before anything moves. */
function reveal(isAgain = false) {
  const [lines, events] = [byID("lines"), byID("events")]
  const [here, latest] = [lines.querySelector(".here"), events.querySelector(".latest")]
  const top = here ? here.offsetTop - lines.offsetTop : 0
  const isHidden = here && (top < lines.scrollTop + 30 || top > lines.scrollTop + lines.clientHeight - 60)
  const lineTop = top - lines.clientHeight / 3
  const eventTop = latest ? latest.offsetTop - events.offsetTop + latest.offsetHeight - events.clientHeight : 0
  if (isHidden) lines.scrollTop = lineTop
  // The heights of lines that were never drawn are guesses, so look again when they are drawn.
  clearTimeout(reveal.timer)
  if (isHidden && !isAgain) reveal.timer = setTimeout(() => reveal(true), 60)
  events.scrollTop = Math.max(0, eventTop)
}

function describe(at) {
  const { step, frame } = recording.positions[at]
  const count = recording.steps[step].frames.length
  const within = frame === 0 ? ", before it runs" : count > 1 ? `, event ${frame} of ${count}` : ""
  return `Statement ${step + 1} of ${recording.steps.length}${within}`
}

/* Lets the address name the position: not at every step of a fast play, which browsers refuse. */
function name(at) {
  clearTimeout(name.timer)
  const isEarly = performance.now() - (name.last ?? -1000) < 250
  if (isEarly) return name.timer = setTimeout(() => name(position), 260)
  name.last = performance.now()
  if (location.hash !== recording.fragment(at)) history.replaceState(null, "", recording.fragment(at))
}

function go(at, duration = 350) {
  at = Math.max(0, Math.min(at, recording.positions.length - 1))
  // Nobody could follow the movement of a jump, or of steps in quick succession.
  const now = performance.now()
  const isStill = Math.abs(at - position) > 50 || now - (go.last ?? -1000) < 80
  go.last = now
  position = at
  const place = recording.positions[at]
  drawLists(recording, at, isStill ? 0 : Math.min(duration, 700 / speed()))
  drawStatement(place.step)
  drawEvents(place)
  quiz.show(at, byID("asks").checked, () => go(position + 1))
  const text = describe(at)
  byID("slider").value = at
  byID("slider").setAttribute("aria-valuetext", text)
  byID("position").textContent = text
  byID("previous").disabled = at === 0
  byID("next").disabled = at === recording.positions.length - 1
  byID("link").href = recording.fragment(at)
  name(at)
  reveal()
  const event = recording.steps[place.step].frames[place.frame - 1]?.event
  if (!timer || speed() <= 1) speak(`${text}. ${event?.text.join(" ") ?? byID("statement").textContent}`)
}

// MARK: Moving

/* The position after or before this one, by the unit that was chosen; in a quiz no further than
   the next question. */
function neighbour(direction) {
  const { step } = recording.positions[position]
  if (!isByTurn()) return position + direction
  if (direction > 0) return position < recording.lasts[step] ? recording.lasts[step] : recording.lasts[step + 1] ?? position
  return recording.lasts[step - 1] ?? 0
}

/* The first question between here and there, in a quiz. */
function stopped(at) {
  if (!byID("asks").checked || at <= position) return at
  for (let place = position; place < at; place++) if (quiz.asks(place)) return place
  return at
}

function move(direction) {
  const at = stopped(neighbour(direction))
  if (direction > 0 && at === position) pause()
  go(at)
}

function pause() {
  clearTimeout(timer)
  timer = null
  byID("play").textContent = "▶ Play"
  byID("play").setAttribute("aria-label", "Play")
}

function play() {
  if (position === recording.positions.length - 1) go(0)
  byID("play").textContent = "❚❚ Pause"
  byID("play").setAttribute("aria-label", "Pause")
  const beat = () => {
    if (position === recording.positions.length - 1) return pause()
    move(1)
    if (timer) timer = setTimeout(beat, 900 / speed())
  }
  timer = setTimeout(beat, 250 / speed())
}

const toggle = () => timer ? pause() : play()

// MARK: Controls

byID("previous").onclick = () => { pause(); move(-1) }
byID("next").onclick = () => { pause(); move(1) }
byID("play").onclick = toggle
byID("slider").oninput = event => { pause(); go(stopped(Number(event.target.value))) }
byID("asks").onchange = () => go(position)
/* Draws everything larger, for those who sit at the back. The browser keeps the choice. */
byID("type").onchange = () => {
  const scale = Number(byID("type").value) || 1
  rowHeight = Math.round(28 * scale)
  document.documentElement.style.setProperty("--scale", rowHeight / 28)
  document.documentElement.classList.toggle("large", scale > 1)
  for (const view of views.values()) view.resize()
  try { localStorage.setItem("frc type", byID("type").value) } catch { /* A page on a disk may keep nothing. */ }
}
byID("full").onclick = () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()
byID("full").hidden = !document.fullscreenEnabled
document.addEventListener("fullscreenchange", () => {
  byID("full").textContent = document.fullscreenElement ? "Leave full screen" : "Full screen"
})
addEventListener("hashchange", event => {
  // Between a click and this event, name() may have replaced the address.
  const at = recording.place(new URL(event.newURL).hash)
  if (at !== undefined && at !== position) { pause(); go(stopped(at)) }
})
addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  const tag = event.target.tagName
  // A list to choose from and the slider have a use for arrows of their own.
  const isField = tag === "SELECT" || event.target.type === "range"
  const keys = {
    " ": () => !["BUTTON", "A", "SELECT"].includes(tag) && event.target.type !== "checkbox" && toggle,
    ArrowLeft: () => !isField && (() => { pause(); move(-1) }),
    ArrowRight: () => !isField && (() => { pause(); move(1) }),
    f: () => !isField && !byID("full").hidden && (() => byID("full").click()),
    Home: () => !isField && (() => { pause(); go(0) }),
    End: () => !isField && (() => { pause(); go(stopped(recording.positions.length - 1)) }),
  }
  const action = keys[event.key]?.()
  if (!action) return
  event.preventDefault()
  action()
})

/* Goes through the recording while nothing else is to be done, so that a jump is short. */
function prepare(until) {
  const scout = prepare.scout ??= Object.assign(Object.create(Recording.prototype), recording, { current: recording.copy(recording.marks[0]) })
  while (scout.current.at < recording.positions.length - 1 && until.timeRemaining() > 4) scout.advance()
  if (scout.current.at < recording.positions.length - 1) requestIdleCallback(prepare)
}

try { byID("type").value = localStorage.getItem("frc type") ?? "1" } catch { /* As above. */ }
if (byID("type").selectedIndex > 0) byID("type").onchange()
else byID("type").value = "1"
byID("asks").checked = recording.asks
drawLines()
byID("slider").max = Math.max(recording.positions.length - 1, 0)
if (recording.positions.length > 0) {
  go(recording.place(location.hash) ?? 0, 0)
  window.requestIdleCallback?.(prepare)
} else {
  byID("controls").hidden = true
}
