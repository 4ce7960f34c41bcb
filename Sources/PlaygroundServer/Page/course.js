"use strict"
/* The course: what the learner hands in is graded by the session's process, as `frc learn` does.
   The browser keeps the progress. */

let courseRun = 0
/* The number of the last request that was answered. */
let answered = 0
let prompt = ""
/* Whether the lesson that comes was chosen in the list. */
let isChosen = false
let isLessonOpen = false
/* The name under which the progress in this course is kept. The process tells it. */
let courseKey = null
/* The lesson to open when it has told it. */
let wantedLesson
/* The name of the lesson in the log, until it is over. */
let shownLesson
/* What was handed in before the lesson was open again. */
let waitingEntry = null
/* The name under which the answer that is typed in a lesson is kept, until the lesson is over. */
const answerKey = lesson => `${courseKey}, answer to ${lesson}`

function openCourse(line) {
  if (isLessonOpen && line === undefined) return
  if (isLessonOpen) return openLesson(line)
  // A new process may have another course.
  wantedLesson = line
  if (answered >= courseRun) courseRun = session.ask("c", { op: "course" })
}

function openLesson(line = Number(place.get(courseKey)) || undefined) {
  courseRun = session.ask("c", { op: "open", line, progress: kept.get(courseKey) ?? undefined })
  isLessonOpen = session.isOpen
}

/* The progress that the session's process has told last; before that, the one that it gets. */
let told

/* The lessons of a progress that may be unreadable. */
const lessons = text => { try { return JSON.parse(text)?.lessons ?? {} } catch { return {} } }

/* Keeps the lessons that changed in this tab. Another tab may have kept others, or solved the same. */
function keepProgress(text) {
  const [before, others, now] = [lessons(told), lessons(kept.get(courseKey)), JSON.parse(text)]
  for (const [name, lesson] of Object.entries(others)) {
    const isUnchanged = JSON.stringify(now.lessons[name]) === JSON.stringify(before[name])
    const isSolved = lesson.state === "solved" && now.lessons[name]?.state !== "solved"
    if (isUnchanged || isSolved) now.lessons[name] = lesson
  }
  told = text
  kept.set(courseKey, JSON.stringify(now))
}

function enter(text) {
  if (!session.isOpen) return session.whenOpen(() => enter(text))
  if (!isLessonOpen) {
    waitingEntry = text
    return openCourse()
  }
  courseRun = session.ask("c", { op: "entry", text })
}

session.begins(() => {
  isLessonOpen = false
  waitingEntry = null
  // The session that ended will not answer.
  answered = courseRun
  if (!byID("course").hidden) openCourse()
})

/* The learner has buttons where `frc learn` has commands. */
const named = text => text.replace("; :quit leaves", "").replace(/:([a-z]+)/g, (command, word) => {
  const button = document.querySelector(`[data-command=${word}]`)
  return button ? `“${button.textContent}”` : command
})

session.listen("c", message => {
  // No number means that the last request was unreadable.
  answered = message.id || courseRun
  if (message.failure) return session.tell(message.failure)
  if (message.op === "course") {
    courseKey = message.key
    told = kept.get(courseKey)
    return openLesson(wantedLesson)
  }
  prompt = message.prompt
  // After a lesson that is over, the learner continues with the next one.
  place.set(courseKey, prompt === "next> " ? "" : message.lessons.findIndex(({ name }) => name === message.current) + 1)
  keepProgress(message.progress)
  const log = byID("log")
  if (message.new) log.replaceChildren()
  // Lines of prose are one paragraph, up to an empty line.
  const lines = []
  for (const line of message.lines) {
    const isProse = line.kind === "text" && line.text && lines.at(-1)?.kind === "text" && lines.at(-1).text
    if (isProse) lines.push({ ...line, text: `${lines.pop().text} ${line.text}` })
    else lines.push(line)
  }
  const items = lines.filter(line => line.text || line.kind !== "text").map(({ kind, text, mark, sign }) => {
    const item = make(kind === "title" ? "h3" : kind === "code" || kind === "graded" ? "pre" : "p", `${kind} ${mark ?? ""}`)
    if (sign?.trim()) item.append(make("span", "sign", sign))
    item.append(write(make("span"), kind === "note" || kind === "text" ? named(text) : text))
    return item
  })
  items[0]?.classList.add("reply")
  log.append(...items)
  if (message.new) items[0]?.scrollIntoView({ block: "start" })
  // The whole reply, or its beginning.
  else for (const item of [items.at(-1), items[0]]) item?.scrollIntoView({ block: "nearest" })
  byID("lesson-title").textContent = courseKey === "frc progress" ? "Lesson" : `Lesson of ${message.course}`
  byID("answer-label").textContent = { "guess> ": "Your prediction, one callback on a line", "frc> ": "Your statements",
    "mend> ": "Your statements", "find> ": "Your answer", "next> ": "Enter goes on" }[message.prompt] ?? "Your answer"
  byID("hand-in").textContent = message.prompt === "next> " ? "Next lesson" : "Hand in"
  const isOther = message.current !== shownLesson
  if (prompt === "next> " && shownLesson) kept.set(answerKey(shownLesson), "")
  shownLesson = prompt === "next> " ? undefined : message.current
  if (message.new && isOther) byID("answer").value = kept.get(answerKey(shownLesson)) ?? ""
  // These statements ran. The next ones take their place.
  else if (message.lines.some(line => /^(Not there yet|The lesson was reset)/.test(line.text))) byID("answer").select()
  drawLessons(message)
  if (isChosen && message.new) log.focus()
  isChosen = false
  const entry = waitingEntry
  waitingEntry = null
  // After a lesson that is over, the next one was opened.
  if (entry !== null && !isOther) enter(entry)
})

function drawLessons({ lessons, current, summary }) {
  const words = { solved: "✓", shown: "s", skipped: "–", begun: "…", open: "" }
  byID("lesson-list").replaceChildren(...lessons.map(({ name, title, kind, state }, index) => {
    const item = make("li", state)
    const button = make("button")
    button.type = "button"
    // One of the buttons is reached by Tab, the others by the arrow keys.
    button.tabIndex = name === current || index === 0 && !current ? 0 : -1
    if (name === current) button.setAttribute("aria-current", "true")
    button.append(make("span", "sign", words[state]), write(make("span", "name"), title), make("small", "", kind))
    button.setAttribute("aria-label", `Lesson ${index + 1}: ${title}, ${kind}, ${state}`)
    button.onclick = () => session.whenOpen(() => {
      isChosen = true
      openCourse(index + 1)
    })
    item.append(button)
    return item
  }))
  byID("summary").textContent = summary
}

byID("lesson-list").addEventListener("keydown", event => {
  const buttons = [...byID("lesson-list").querySelectorAll("button")]
  const here = buttons.indexOf(document.activeElement)
  const place = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 }[event.key]
  if (here < 0 || !buttons[place]) return
  event.preventDefault()
  for (const button of buttons) button.tabIndex = button === buttons[place] ? 0 : -1
  buttons[place].focus()
})
byID("answer-form").addEventListener("submit", event => {
  event.preventDefault()
  enter(byID("answer").value)
  byID("answer").focus()
})
byID("answer").addEventListener("input", event => {
  if (shownLesson) kept.set(answerKey(shownLesson), event.target.value)
})
byID("answer").addEventListener("keydown", event => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || prompt === "next> ")) return
  event.preventDefault()
  enter(byID("answer").value)
})
for (const button of document.querySelectorAll("[data-command]"))
  button.onclick = () => enter(`:${button.dataset.command}`)
const unknownLearner = "The server does not answer, so it is unknown whose progress this is."
byID("export").onclick = () => {
  if (!courseKey) return session.tell(unknownLearner)
  download("frc-progress.json", kept.get(courseKey) ?? "{\"lessons\":{}}", "application/json")
}

/* Whether the session's process can read a progress. Where it cannot, the learner begins without
   one, and the page would keep that. */
function isProgress({ lessons, current }) {
  const isCount = value => Number.isSafeInteger(value)
  const isText = value => typeof (value ?? "") === "string" && !/[\ud800-\udfff]/u.test(value)
  return typeof lessons === "object" && lessons !== null && !Array.isArray(lessons) && isText(current)
    && Object.values(lessons).every(({ state, tries, hints, sawSolution, seconds, lastWrong }) =>
      ["begun", "solved", "shown", "skipped"].includes(state) && isCount(tries) && isCount(hints)
      && typeof sawSolution === "boolean" && Number.isFinite(seconds ?? 0) && isText(lastWrong))
}

byID("import").onchange = async event => {
  const [file] = event.target.files
  event.target.value = ""
  if (!file) return
  if (file.size > 1_000_000) return session.tell("The file is larger than 1 MB, so it has no progress.")
  if (!courseKey) return session.tell(unknownLearner)
  const text = await file.text()
  try {
    if (!isProgress(JSON.parse(text))) throw new Error("no progress")
  } catch {
    return session.tell("The file has no progress. Choose a file that “Save progress” wrote.")
  }
  // What was typed belongs to the progress before. It has each lesson that was opened.
  for (const name of Object.keys(lessons(kept.get(courseKey)))) kept.set(answerKey(name), "")
  byID("answer").value = ""
  shownLesson = undefined
  kept.set(courseKey, text)
  place.set(courseKey, "")
  // A new process reads it.
  isLessonOpen = false
  session.socket?.close()
}

start()
