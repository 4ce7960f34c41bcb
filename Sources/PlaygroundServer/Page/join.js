"use strict"
const field = id => document.getElementById(id)
field("name").value = sessionStorage.getItem("frc name") ?? ""
// Why the class did not take the student, or has ended.
field("status").textContent = sessionStorage.getItem("frc refusal") ?? ""
sessionStorage.removeItem("frc refusal")
field("join").addEventListener("submit", async event => {
  event.preventDefault()
  const name = field("name").value.trim()
  if (!name) {
    field("status").textContent = "Write your name."
    return
  }
  const code = field("code").value.trim().toLowerCase()
  const answer = await fetch(`/${encodeURIComponent(code)}/list.json`)
  if (!answer.ok) {
    field("status").textContent = "No class has this code. Ask your teacher."
    return
  }
  sessionStorage.setItem("frc name", name)
  sessionStorage.removeItem("frc round")
  location.href = `/${code}/${location.hash}`
})
