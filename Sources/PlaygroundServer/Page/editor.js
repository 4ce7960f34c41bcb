"use strict"
/* The editor: a text area, with its colours under it, numbers on its left and output on its right.
   Only lines that can be seen are in the document. The language service answers what it asks. */

const lineHeight = 21
const colourNames = ["keyword", "class", "variable", "number", "string", "comment", "operator"]

class Editor {
  constructor() {
    this.area = byID("text")
    this.sheet = byID("sheet")
    this.box = byID("editor")
    this.lines = [""]
    this.known = new Map()
    this.problems = []
    this.marks = new Map()
    /* What is drawn of each line that can be seen, and how many lines were painted so far. */
    this.drawn = new Map()
    this.painted = 0
    this.view = { top: 0, height: 600 }
    this.version = 0
    this.sent = null
    this.waiting = new Map()
    this.choices = []
    this.chosen = -1
    this.area.addEventListener("input", event => this.changed(event))
    this.area.addEventListener("scroll", () => {
      byID("colours").style.transform = `translateX(${-this.area.scrollLeft}px)`
    })
    this.box.addEventListener("scroll", () => { this.measure(); this.draw(); this.askColours() })
    this.area.addEventListener("keydown", event => this.key(event))
    this.area.addEventListener("blur", () => setTimeout(() => this.close(), 150))
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === this.area) this.oncursor?.()
    })
    new ResizeObserver(() => { this.measure(); this.draw() }).observe(this.box)
    session.listen("l", message => this.take(message))
    session.begins(() => this.begin())
  }

  get text() { return this.area.value }

  /* Replaces the whole text. */
  set text(text) {
    this.area.value = text
    this.area.setSelectionRange(0, 0)
    this.box.scrollTop = 0
    this.changed()
  }

  /* The line of the cursor, counted from 1. */
  get line() { return this.place(this.area.selectionStart).line + 1 }

  place(offset, text = this.text) {
    let [line, start] = [0, 0]
    for (let at; (at = text.indexOf("\n", start)) >= 0 && at < offset; start = at + 1) line++
    return { line, character: offset - start }
  }

  goTo(line) {
    let offset = 0
    for (let index = 0; index < line - 1; index++) offset += this.lines[index].length + 1
    this.area.focus()
    this.area.setSelectionRange(offset, offset)
    const top = (line - 1) * lineHeight
    if (top < this.box.scrollTop || top > this.box.scrollTop + this.box.clientHeight - 2 * lineHeight)
      this.box.scrollTop = Math.max(0, top - this.box.clientHeight / 3)
  }

  changed(event) {
    const old = this.lines
    this.lines = this.text.split("\n")
    if (this.height !== this.lines.length) {
      this.height = this.lines.length
      this.sheet.style.height = `${(this.height + 1) * lineHeight}px`
      this.sheet.style.setProperty("--digits", String(this.height).length)
    }
    this.draw()
    clearTimeout(this.colourTimer)
    // After the key is painted.
    this.colourTimer = setTimeout(() => { this.tellChange(); this.askColours() }, 20)
    this.onchange?.(event, old)
    clearTimeout(this.choiceTimer)
    if (event?.inputType?.startsWith("insertText") && /[\w.@$"(/]/.test(event.data ?? ""))
      this.choiceTimer = setTimeout(() => this.askChoices(), 60)
    else this.close()
  }

  // MARK: Drawing

  /* Not when drawing: the browser would first have to lay out the whole script. */
  measure() { this.view = { top: this.box.scrollTop, height: this.box.clientHeight } }

  /* Draws the lines that can be seen. Those that look as before are not painted again. */
  draw() {
    const first = Math.max(0, Math.floor(this.view.top / lineHeight) - 5)
    const last = Math.min(this.lines.length, first + Math.ceil(this.view.height / lineHeight) + 10)
    const problems = new Map()
    for (const problem of this.problems) {
      const { line } = problem.range.start
      if (line >= first && line < last) problems.set(line, [...problems.get(line) ?? [], problem])
    }
    const old = this.drawn
    this.drawn = new Map()
    for (let index = first; index < last; index++) {
      const text = this.lines[index]
      const mine = problems.get(index) ?? []
      const mark = (this.marks.get(index + 1) ?? "") + (mine.length ? " problem" : "")
      const row = old.get(index) ?? this.newRow(index)
      // Until the language service answers, a line that is typed keeps its colours.
      if (this.known.has(text)) row.kinds = this.known.get(text)
      const kinds = text.length < 4000 ? row.kinds : []
      old.delete(index)
      this.drawn.set(index, row)
      if (row.mark !== mark) row.number.className = row.mark = mark
      const look = JSON.stringify([text, kinds, mine.map(({ range, severity }) => [range, severity])])
      if (row.look === look) continue
      row.look = look
      row.line.replaceChildren(...this.parts(text, kinds, mine, index))
      this.painted++
    }
    for (const { number, line } of old.values()) {
      number.remove()
      line.remove()
    }
    this.visible = [first, last]
    this.ondraw?.(first, last)
  }

  newRow(index) {
    const [number, line] = [make("div", "", String(index + 1)), make("div")]
    number.style.top = line.style.top = `${index * lineHeight}px`
    byID("gutter").append(number)
    byID("colours").append(line)
    return { number, line, mark: "", kinds: [], look: null }
  }

  /* The coloured pieces of a line, and the waves under what is wrong. */
  parts(text, kinds, problems, index) {
    const parts = []
    let end = 0
    const add = (from, to, kind) => {
      if (to > from) parts.push(kind ? make("span", kind, text.slice(from, to)) : text.slice(from, to))
    }
    for (const [start, length, type] of kinds) {
      add(end, start, "")
      add(start, start + length, "t-" + colourNames[type])
      end = start + length
    }
    add(end, text.length, "")
    for (const { range, severity } of problems) {
      const width = range.end.line === index ? range.end.character - range.start.character : text.length
      const wave = make("i", severity === 1 ? "error" : "warning")
      wave.style.left = `${range.start.character}ch`
      wave.style.width = `${Math.max(width, 1)}ch`
      parts.push(wave)
    }
    return parts
  }

  // MARK: The language service

  begin() {
    this.version = 0
    this.sent = null
    this.waiting.clear()
    this.ask("initialize", { capabilities: {}, initializationOptions: { live: false } }, () => {
      session.send("l", { jsonrpc: "2.0", method: "initialized", params: {} })
      this.isReady = true
      this.tellChange()
      this.askColours()
      // What was typed while the session began.
      if (this.wantsChoices) this.askChoices()
    })
    this.isReady = false
  }

  ask(method, params, answer) {
    const id = ++session.id
    this.waiting.set(id, answer)
    session.send("l", { jsonrpc: "2.0", id, method, params })
    return id
  }

  take(message) {
    if (message.method === "textDocument/publishDiagnostics") {
      if (message.params.version !== this.version) return
      this.problems = message.params.diagnostics
      this.draw()
      this.showProblems()
    } else if (message.id !== undefined && this.waiting.has(message.id)) {
      const answer = this.waiting.get(message.id)
      this.waiting.delete(message.id)
      if (message.result !== undefined) answer(message.result)
    }
  }

  document = { uri: "file:///script.frc" }

  /* Tells the service what is different. */
  tellChange() {
    if (!this.isReady || !session.isOpen || this.sent === this.text) return
    const { text } = this
    const old = this.sent
    const send = message => { if (session.send("l", message)) this.sent = text }
    this.version++
    const textDocument = { ...this.document, version: this.version }
    if (old === null) {
      send({ jsonrpc: "2.0", method: "textDocument/didOpen",
        params: { textDocument: { ...textDocument, languageId: "frc", text } } })
      return
    }
    const shorter = Math.min(old.length, text.length)
    // Large pieces first, which the browser compares at once.
    const sameUpTo = (most, isSame) => {
      let count = 0
      for (const size of [4096, 1]) while (count + size <= most && isSame(count, size)) count += size
      return count
    }
    let start = sameUpTo(shorter, (at, size) => old.slice(at, at + size) === text.slice(at, at + size))
    let end = sameUpTo(shorter - start, (at, size) =>
      old.slice(old.length - at - size, old.length - at) === text.slice(text.length - at - size, text.length - at))
    // Half of a character is no text.
    if (/[\udc00-\udfff]/.test(old[start] ?? text[start] ?? "") && start) start--
    if (/[\ud800-\udbff]/.test(old[old.length - 1 - end] ?? "") && end) end--
    send({ jsonrpc: "2.0", method: "textDocument/didChange", params: { textDocument,
      contentChanges: [{ range: { start: this.place(start, old), end: this.place(old.length - end, old) },
        text: text.slice(start, text.length - end) }] } })
  }

  askColours() {
    if (!this.isReady || !session.isOpen) return
    const [first, last] = this.visible ?? [0, 50]
    const lines = this.lines.slice(first, last)
    if (lines.every(line => this.known.has(line))) return
    const { version } = this
    const range = { start: { line: first, character: 0 }, end: { line: last, character: 0 } }
    this.ask("textDocument/semanticTokens/range", { textDocument: this.document, range }, ({ data }) => {
      if (version !== this.version) return
      if (this.known.size > 20_000) this.known.clear()
      const found = new Map()
      let [line, start] = [0, 0]
      for (let at = 0; at < data.length; at += 5) {
        line += data[at]
        start = data[at] ? data[at + 1] : start + data[at + 1]
        found.set(line, [...found.get(line) ?? [], [start, data[at + 2], data[at + 3]]])
      }
      lines.forEach((text, index) => this.known.set(text, found.get(first + index) ?? []))
      this.draw()
    })
  }

  showProblems() {
    byID("problems").replaceChildren(...this.problems.slice(0, 8).map(({ range, severity, message }) => {
      const item = make("li", severity === 1 ? "error" : "warning")
      const link = make("button", "", `Line ${range.start.line + 1}`)
      link.type = "button"
      link.onclick = () => this.goTo(range.start.line + 1)
      item.append(link, " ", write(make("span"), message))
      return item
    }))
    if (this.problems.length > 8) byID("problems").append(make("li", "", `and ${this.problems.length - 8} more`))
  }

  // MARK: Completion

  askChoices() {
    this.wantsChoices = !this.isReady || !session.isOpen
    if (this.wantsChoices) return
    this.tellChange()
    const { version } = this
    const position = this.place(this.area.selectionStart)
    this.ask("textDocument/completion", { textDocument: this.document, position }, list => {
      const isOld = version !== this.version || document.activeElement !== this.area
      if (isOld || !list?.items?.length) return this.close()
      const word = this.lines[position.line].slice(0, position.character).match(/[\w.@$]*$/)[0]
      this.choices = list.items.slice(0, 12)
      if (this.choices.length === 1 && (this.choices[0].label === word)) return this.close()
      this.chosen = -1
      this.showChoices(position)
    })
  }

  showChoices(position) {
    const list = byID("choices")
    list.replaceChildren(...this.choices.map((choice, index) => {
      const item = make("li")
      item.id = `choice-${index}`
      item.setAttribute("role", "option")
      item.setAttribute("aria-selected", index === this.chosen)
      item.append(write(make("b"), choice.label), write(make("small"), choice.detail ?? ""))
      item.onmousedown = event => { event.preventDefault(); this.accept(index) }
      return item
    }))
    list.hidden = false
    if (position) {
      const area = this.area.getBoundingClientRect()
      const top = area.top + (position.line + 1) * lineHeight + 4
      list.style.left = `${Math.max(4, Math.min(area.left + position.character * 7.8 - this.area.scrollLeft, innerWidth - 260))}px`
      list.style.top = `${Math.min(top, innerHeight - list.offsetHeight - 8)}px`
      speak(`${this.choices.length} completions`)
    }
    if (this.chosen < 0) this.area.removeAttribute("aria-activedescendant")
    else this.area.setAttribute("aria-activedescendant", `choice-${this.chosen}`)
  }

  close() {
    this.wantsChoices = false
    byID("choices").hidden = true
    this.choices = []
    this.area.removeAttribute("aria-activedescendant")
  }

  accept(index) {
    const choice = this.choices[index]
    if (!choice) return
    const edit = choice.textEdit
    const end = this.area.selectionStart
    const here = this.place(end)
    const start = edit ? end - (here.character - (edit.range ?? edit.insert).start.character) : end
    this.area.setSelectionRange(start, end)
    // So that the browser's own undo knows it.
    if (!document.execCommand("insertText", false, edit?.newText ?? choice.insertText ?? choice.label))
      this.area.setRangeText(edit?.newText ?? choice.label, start, end, "end")
    this.close()
  }

  key(event) {
    const isOpen = this.choices.length > 0
    const move = step => {
      this.chosen = (this.chosen + step + this.choices.length + (this.chosen < 0 && step < 0 ? 1 : 0)) % this.choices.length
      this.showChoices()
    }
    if (isOpen && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const action = {
        ArrowDown: () => move(1), ArrowUp: () => move(-1), Escape: () => this.close(),
        Tab: event.shiftKey ? null : () => this.accept(Math.max(this.chosen, 0)),
        Enter: this.chosen >= 0 ? () => this.accept(this.chosen) : null,
      }[event.key]
      if (action) { event.preventDefault(); return action() }
      if (event.key === "Enter") this.close()
    }
    this.onkey?.(event)
  }
}
