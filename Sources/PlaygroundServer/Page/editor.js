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
    this.version = 0
    this.sent = null
    this.waiting = new Map()
    this.choices = []
    this.chosen = -1
    this.area.addEventListener("input", event => this.changed(event))
    this.area.addEventListener("scroll", () => this.draw())
    this.box.addEventListener("scroll", () => { this.draw(); this.askColours() })
    this.area.addEventListener("keydown", event => this.key(event))
    this.area.addEventListener("blur", () => setTimeout(() => this.close(), 150))
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === this.area) this.oncursor?.()
    })
    addEventListener("resize", () => this.draw())
    session.hear("l", message => this.take(message))
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

  place(offset) {
    const before = this.text.slice(0, offset)
    const start = before.lastIndexOf("\n") + 1
    let line = 0
    for (let at = before.indexOf("\n"); at >= 0; at = before.indexOf("\n", at + 1)) line++
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
    this.lines = this.text.split("\n")
    this.sheet.style.height = `${(this.lines.length + 1) * lineHeight}px`
    this.draw()
    this.tellChange()
    clearTimeout(this.colourTimer)
    this.colourTimer = setTimeout(() => this.askColours(), 20)
    this.onchange?.(event)
    clearTimeout(this.choiceTimer)
    if (event?.inputType?.startsWith("insertText") && /[\w.@$"(/]/.test(event.data ?? ""))
      this.choiceTimer = setTimeout(() => this.askChoices(), 60)
    else this.close()
  }

  // MARK: Drawing

  /* Draws the lines that can be seen. */
  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / lineHeight) - 5)
    const last = Math.min(this.lines.length, first + Math.ceil(this.box.clientHeight / lineHeight) + 10)
    const [numbers, colours] = [[], []]
    for (let index = first; index < last; index++) {
      const number = make("div", this.marks.get(index + 1) ?? "", String(index + 1))
      number.style.top = `${index * lineHeight}px`
      if (this.problems.some(problem => problem.range.start.line === index)) number.classList.add("problem")
      numbers.push(number)
      const line = this.drawLine(this.lines[index], index)
      line.style.top = `${index * lineHeight}px`
      colours.push(line)
    }
    byID("gutter").replaceChildren(...numbers)
    byID("colours").replaceChildren(...colours)
    byID("colours").style.transform = `translateX(${-this.area.scrollLeft}px)`
    this.visible = [first, last]
    this.ondraw?.(first, last)
  }

  drawLine(text, index) {
    const line = make("div")
    let end = 0
    const add = (from, to, kind) => {
      if (to > from) line.append(kind ? make("span", kind, text.slice(from, to)) : text.slice(from, to))
    }
    if (text.length < 4000)
      for (const [start, length, type] of this.known.get(text) ?? []) {
        add(end, start, "")
        add(start, start + length, "t-" + colourNames[type])
        end = start + length
      }
    add(end, text.length, "")
    for (const { range, severity } of this.problems) {
      if (range.start.line !== index) continue
      const width = range.end.line === index ? range.end.character - range.start.character : text.length
      const wave = make("i", severity === 1 ? "error" : "warning")
      wave.style.left = `${range.start.character}ch`
      wave.style.width = `${Math.max(width, 1)}ch`
      line.append(wave)
    }
    return line
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
    this.sent = text
    this.version++
    const textDocument = { ...this.document, version: this.version }
    if (old === null) {
      session.send("l", { jsonrpc: "2.0", method: "textDocument/didOpen",
        params: { textDocument: { ...textDocument, languageId: "frc", text } } })
      return
    }
    let start = 0
    const shorter = Math.min(old.length, text.length)
    while (start < shorter && old[start] === text[start]) start++
    let end = 0
    while (end < shorter - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end++
    // Half of a character is no text.
    if (/[\udc00-\udfff]/.test(old[start] ?? text[start] ?? "") && start) start--
    if (/[\ud800-\udbff]/.test(old[old.length - 1 - end] ?? "") && end) end--
    const place = offset => {
      const before = old.slice(0, offset)
      return { line: before.split("\n").length - 1, character: offset - before.lastIndexOf("\n") - 1 }
    }
    session.send("l", { jsonrpc: "2.0", method: "textDocument/didChange", params: { textDocument,
      contentChanges: [{ range: { start: place(start), end: place(old.length - end) },
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
