"use strict"
/* The teacher's page. Names, answers and scripts are written as text, whatever they say. */

function row(cells) {
  const row = make("tr")
  for (const cell of cells) {
    const element = make("td")
    if (cell instanceof Node) element.append(cell)
    else write(element, String(cell ?? ""))
    row.append(element)
  }
  return row
}

function look({ id, name }) {
  const button = make("button", "", "Show")
  button.type = "button"
  button.setAttribute("aria-label", `Show the script of ${name}`)
  button.onclick = () => session.whenOpen(() => session.send("s", { look: id }))
  return button
}

session.listen("x", async message => {
  if (message.students) {
    write(byID("code"), message.code)
    byID("students").replaceChildren(...message.students.map(student =>
      row([student.name + (student.here ? "" : " (away)"), student.lesson, student.state, student.tries, student.solved,
        student.script ? look(student) : ""])))
    byID("wrong").replaceChildren(...message.wrong.map(({ lesson, answer, rule, count }) =>
      row([lesson, write(make("pre"), answer), rule, count])))
  } else if (message.look) {
    write(byID("projector-title"), `Script of ${message.look.name}`)
    write(byID("script"), message.look.script)
    byID("try").href = "../" + await packed(message.look.script)
    byID("projector").hidden = false
    byID("script").focus()
  } else if (message.results) {
    download(`results.${message.results}`, message.text, message.results === "csv" ? "text/csv" : "application/json")
  }
})

const ask = what => session.send("s", { ask: what })
session.begins(() => ask("list"))
setInterval(() => { if (session.isOpen && !document.hidden) ask("list") }, 2000)
byID("csv").onclick = () => session.whenOpen(() => ask("csv"))
byID("json").onclick = () => session.whenOpen(() => ask("json"))
byID("shut").onclick = () => { byID("projector").hidden = true }
byID("larger").onclick = () => document.body.classList.toggle("projected")
byID("end").onclick = () => {
  if (confirm("End the class? Names and results that you have not saved are forgotten."))
    session.whenOpen(() => { ask("end"); ask("list") })
}
byID("address").textContent = location.origin + "/"
session.connect()
