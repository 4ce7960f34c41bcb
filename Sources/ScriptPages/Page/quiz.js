/* Questions before each turn: which of these callbacks will be sent? The right ones are the
   recording's; the wrong ones are like them, or what one might expect of objects of which
   nothing was said. */

const pathText = path => `[${path.join(", ")}]`

/* A callback as an answer; undefined for those that need no question, such as the two around a batch. */
function answer({ event, controller, type, object, index, name, indexPath, newIndexPath, old, new: count }) {
  switch (event) {
    case "results": return `${controller} results ${old} -> ${count}`
    case "didChangeSection": return `${controller} section ${type} ${index} "${name}"`
    case "didChangeObject": {
      const from = indexPath ? " " + pathText(indexPath) : ""
      const isKept = type === "update" && String(indexPath) === String(newIndexPath)
      const now = newIndexPath && !isKept ? " -> " + pathText(newIndexPath) : ""
      return `${controller} ${type} ${object}${from}${now}`
    }
    case "snapshot": case "difference": case "counts": return `${controller} ${event}`
    default: return undefined
  }
}

/* A callback as an answer where a turn sends no others. */
const plainAnswer = ({ controller, event }) => `${controller} ${event}`

/* Callbacks that are like one, and are not it. */
function lookalikes(event) {
  const { type, indexPath: from, newIndexPath: to } = event
  // A delegate may have one of them only.
  if (/^(will|did)ChangeContent$/.test(event.event))
    return ["willChangeContent", "didChangeContent"].map(name => ({ ...event, event: name }))
  const below = ([section, row]) => [section, row + 1]
  if (event.event === "didChangeSection")
    return [{ ...event, type: type === "insert" ? "delete" : "insert" }, { ...event, index: event.index + 1 }]
  if (event.event !== "didChangeObject") return []
  const like = (type, indexPath, newIndexPath) => ({ ...event, type, indexPath, newIndexPath })
  switch (type) {
    case "insert": return [like("update", to), like("insert", undefined, below(to))]
    case "delete": return [like("update", from), like("delete", below(from))]
    case "move": return [like("update", from), like("move", from, below(to)), like("delete", from)]
    default: return [like("move", from, below(from)), like("delete", from)]
  }
}

class Quiz {
  constructor(recording, form, speak) {
    this.recording = recording
    this.form = form
    this.speak = speak
    this.answered = new Set()
  }

  /* The answers to choose from, in an order that is the same each time. */
  choices(step) {
    const { frames, reasons } = this.recording.steps[step]
    const callbacks = frames.map(f => f.event).filter(({ event }) => callbackNames.has(event))
    const known = callbacks.filter(answer)
    const [sent, text] = known.length ? [known, answer] : [callbacks, plainAnswer]
    const right = new Set(sent.map(text))
    const wrong = new Set(sent.flatMap(lookalikes).map(text))
    for (const { sent, objects, controller } of reasons)
      if (sent === false && controller) for (const object of objects ?? []) wrong.add(`${controller} update ${object}`)
    const shown = [...right].slice(0, 6)
    const others = [...wrong].filter(text => !right.has(text)).slice(0, Math.max(3, 8 - shown.length))
    const all = [...shown.map(text => ({ text, isRight: true })), ...others.map(text => ({ text, isRight: false }))]
    let seed = step * 7919 + 17
    for (let i = all.length - 1; i > 0; i--) {
      seed = (seed * 1103515245 + 12345) % 2147483648
      const j = seed % (i + 1);
      [all[i], all[j]] = [all[j], all[i]]
    }
    return [...all, { text: "No callback is sent", isRight: right.size === 0 }]
  }

  /* Whether a position is one before which the viewer has to guess. */
  asks(at) {
    const { step, frame } = this.recording.positions[at]
    return this.recording.steps[step].hasLead && frame === 0 && !this.answered.has(step)
  }

  show(at, isOn, goOn) {
    const { step } = this.recording.positions[at]
    if (this.shown === step && isOn && !this.form.hidden) return
    this.form.hidden = !(isOn && this.asks(at))
    if (this.form.hidden) { this.shown = undefined; return }
    this.shown = step
    const choices = this.choices(step)
    const group = make("fieldset")
    group.append(make("legend", "", "Which of these callbacks will be sent?"))
    choices.forEach(choice => {
      const label = make("label")
      choice.box = make("input")
      choice.box.type = "checkbox"
      label.append(choice.box, write(make("span"), choice.text))
      group.append(label)
    })
    const check = make("button", "check", "Check")
    check.type = "submit"
    const skip = make("button", "skip", "Show me")
    skip.type = "button"
    const buttons = make("p")
    buttons.append(check, " ", skip)
    group.append(buttons)
    this.form.replaceChildren(group)
    skip.onclick = () => { this.answered.add(step); goOn() }
    this.form.onsubmit = event => {
      event.preventDefault()
      if (this.answered.has(step)) return goOn()
      this.answered.add(step)
      this.grade(choices, check, skip)
    }
  }

  grade(choices, check, skip) {
    let count = 0
    for (const { box, isRight } of choices) {
      const isGood = box.checked === isRight
      count += isGood
      box.disabled = true
      const verdict = isGood ? (isRight ? "✓ sent" : "✓ not sent") : (isRight ? "✗ this one is sent" : "✗ this one is not sent")
      box.parentElement.className = isGood ? "right" : "wrong"
      box.parentElement.append(make("span", "verdict", verdict))
    }
    const result = `${count} of ${choices.length} right.`
    check.textContent = "Watch it happen"
    check.before(make("span", "score", result + " "))
    skip.remove()
    check.focus()
    this.speak(result)
  }
}
