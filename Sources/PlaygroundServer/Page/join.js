"use strict"
const field = id => document.getElementById(id)
const blocked = "This browser keeps nothing for this page, so it cannot join. Allow its data, and open it again."
try {
  field("name").value = sessionStorage.getItem("frc name") ?? ""
  // Why the class did not take the student, or has ended.
  field("status").textContent = sessionStorage.getItem("frc refusal") ?? ""
  sessionStorage.removeItem("frc refusal")
} catch {
  field("status").textContent = blocked
}
field("join").addEventListener("submit", async event => {
  event.preventDefault()
  const refuse = reason => { field("status").textContent = reason }
  const name = field("name").value.trim()
  if (!name) return refuse("Write your name.")
  const code = field("code").value.trim().toLowerCase()
  if (!code) return refuse("Write the code of the class.")
  try {
    const answer = await fetch(`/${encodeURIComponent(code)}/list.json`)
    if (!answer.ok) return refuse("No class has this code. Ask your teacher.")
  } catch {
    return refuse("The server does not answer.")
  }
  try {
    sessionStorage.setItem("frc name", name)
    sessionStorage.removeItem("frc round")
  } catch {
    return refuse(blocked)
  }
  location.href = `/${code}/${location.hash}`
})
