// Makes the mistake that the argument names, which ends the program with a message. Without an
// argument, it lists the mistakes.

let mistakes = engineMistakes + typedMistakes + tableMistakes

if let name = CommandLine.arguments.dropFirst().first {
  guard let mistake = mistakes.first(where: { $0.name == name }) else {
    fatalError("there is no mistake '\(name)'")
  }
  try mistake.make()
  print("the program goes on")
} else {
  for mistake in mistakes { print(mistake.name) }
}
