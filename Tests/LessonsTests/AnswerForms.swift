import Lessons
import ScriptSyntax

/// Answers to a lesson that nobody wrote by hand: right ones in other words, and wrong ones that
/// are one step away from a right one.
struct AnswerForms {
  var right: [String] = []
  var wrong: [String] = []

  init(_ lesson: Lesson) {
    let solution = lesson.solution
    right.append(solution.joined(separator: "\n"))
    wrong += lesson.wrong.map { $0.lines.joined(separator: "\n") }
    switch lesson.kind {
    case .predict: addPredictions(lesson, solution)
    case .reach: addStatements(lesson, solution)
    case .mend: addReactions(lesson, solution)
    case .find: addFinds(lesson)
    }
    right = Self.unique(right)
    wrong = Self.unique(wrong).filter { !right.contains($0) }
  }

  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  // MARK: Predictions

  private mutating func addPredictions(_ lesson: Lesson, _ solution: [String]) {
    if lesson.offersChoices {
      for (index, choice) in lesson.choices.enumerated() {
        let letter = String(UnicodeScalar(UInt8(97 + index)))
        let forms = [letter, letter.uppercased(), letter + ")", "(" + letter + ")", letter + "."]
        if choice == solution { right += forms } else { wrong += forms }
      }
    }
    guard solution != ["nothing"] else { return addNothing() }
    let lines = solution.map(PrintedCallback.init)
    guard lines.contains(where: { $0.kind != .other }) else { return addValues(solution) }
    let saysOther = lines.contains { $0.kind == .other }
    if !saysOther {
      addWays(of: lines.filter { $0.kind != .frame }, around: lines)
    }
    addSteps(from: lines)
    wrong += ["nothing", "no callback is sent"]
    wrong.append((solution + ["nothing"]).joined(separator: "\n"))
  }

  private mutating func addNothing() {
    right += [
      "Nothing", "nothing.", "none", "nothing is sent", "Nothing is sent.", "no callback",
      "no callbacks", "no callbacks are sent", "no callback is sent.", "nothing happens",
      "the delegate receives nothing",
    ]
    wrong += [
      "willChangeContent\ndidChangeContent", "insert Book/1 [0, 0]", "something",
      "nothing\ninsert Book/1 [0, 0]", "update Book/1 at [0, 0]", "not nothing",
    ]
  }

  private mutating func addWays(of saying: [PrintedCallback], around lines: [PrintedCallback]) {
    // A delegate that implements one of the two frames alone has no other callback to predict.
    guard !saying.isEmpty else {
      right.append(lines.map(\.apple).joined(separator: "\n"))
      right.append(lines.map(\.short).joined(separator: "\n"))
      right.append(lines.map { $0.apple + "(_:)" }.joined(separator: "\n"))
      return
    }
    let ways: [(PrintedCallback) -> String] = [
      \.short, \.shortNamed, \.tight, \.fromTo, \.apple, \.appleSwift, \.words, \.passive,
      \.numbered, \.swiftPaths,
    ]
    for way in ways {
      right.append(saying.map(way).joined(separator: "\n"))
      right.append(lines.map(way).joined(separator: "\n"))
    }
    let names = saying.map(\.name)
    if Set(names).count == names.count, saying.allSatisfy({ !$0.name.isEmpty }) {
      right.append(saying.map(\.byName).joined(separator: "\n"))
    }
  }

  private mutating func addSteps(from lines: [PrintedCallback]) {
    let inner = lines.filter { $0.kind != .frame }
    func add(_ changed: [PrintedCallback]) {
      wrong.append(changed.map(\.full).joined(separator: "\n"))
      if changed.allSatisfy({ $0.kind != .other }) {
        wrong.append(changed.map(\.short).joined(separator: "\n"))
      }
    }
    for list in [lines, inner] where !list.isEmpty {
      for index in list.indices {
        var fewer = list
        let gone = fewer.remove(at: index)
        // Without frames the rest is right, and the frames are not compared.
        if !(gone.kind == .frame && !fewer.contains { $0.kind == .frame }), list.count > 1 {
          add(fewer)
        }
        add(Array(list[...index]) + Array(list[index...]))
        for changed in list[index].neighbors {
          var other = list
          other[index] = changed
          add(other)
        }
        for unreadable in [list[index].full + " too", list[index].full + " [7, 7] [8, 8]"] {
          var texts = list.map(\.full)
          texts[index] = unreadable
          wrong.append(texts.joined(separator: "\n"))
        }
        for later in list.indices where later > index && list[later] != list[index] {
          var other = list
          other.swapAt(index, later)
          add(other)
        }
      }
    }
    for line in inner {
      for text in line.contradictions {
        wrong.append(inner.map { $0 == line ? text : $0.full }.joined(separator: "\n"))
      }
    }
  }

  private mutating func addValues(_ solution: [String]) {
    right.append(solution.map { $0.replacing("\"", with: "") }.joined(separator: "\n"))
    right.append(solution.map { $0 + "." }.joined(separator: "\n"))
    if solution.count == 1 {
      right.append("\"\(solution[0].replacing("\"", with: ""))\"")
      right.append("it prints \(solution[0])")
      if let number = Int(solution[0]) { right.append(PrintedCallback.word(number)) }
      wrong.append(solution[0] + " " + solution[0])
    } else {
      wrong.append(solution.dropLast().joined(separator: "\n"))
      if solution.reversed() != solution {
        wrong.append(solution.reversed().joined(separator: "\n"))
      }
    }
    wrong += ["nothing", "42", (solution + solution).joined(separator: "\n")]
    wrong.append(solution.map { $0 + "x" }.joined(separator: "\n"))
    wrong.append(solution.joined(separator: "\n") + "\nnothing")
  }

  // MARK: Statements

  private mutating func addStatements(_ lesson: Lesson, _ solution: [String]) {
    let text = solution.joined(separator: "\n")
    right += ["  " + text + "  ", text + " # as I think"]
    let canBeInner = text.contains(".") || text.hasPrefix("insert")
    if canBeInner, !text.hasPrefix("perform") { right.append("perform { \(text) }") }
    wrong += [
      "print 1\nprint 2", text + "\n" + text, text + "\nprint unknown", "show nosuch",
      text + " extra words", text.uppercased(),
    ]
  }

  private mutating func addReactions(_ lesson: Lesson, _ solution: [String]) {
    let text = solution.joined(separator: "\n")
    let head = String(text.prefix { $0 != "{" })
    wrong += ["print 1", "nonsense", lesson.broken.lines.joined(separator: "\n"), ""]
    guard text.contains("{") else { return }
    right.append(text.replacing("{", with: "{\ninsert insertRows\n"))
    right.append(text.replacing("{", with: "{\ndelete deleteRows\n"))
    // What is not named is the template's, and so it is always right.
    wrong += [
      head, head + "{ insert insertRows }", head + "{ delete deleteRows }", head + "reload",
    ]
  }

  private mutating func addFinds(_ lesson: Lesson) {
    let parts = lesson.answerWords.split(separator: " ").map(String.init)
    guard parts.count == 2, let number = Int(parts[0]) else { return }
    let reaction = parts[1]
    let statements = lesson.script.statements[lesson.task.statements].map {
      lesson.script.source.text(in: $0.range)
    }
    let spoken = ["sectionDelete": "section delete", "sectionInsert": "section insert"]
    right += [
      "\(reaction) \(number)", "\(number), \(reaction)", "\(number): \(reaction)",
      "statement \(number), \(reaction)", "statement \(number) and the \(reaction) reaction",
      "\(PrintedCallback.word(number)) \(reaction)", "\(number) \(reaction.uppercased())",
      "\(number) \(spoken[reaction] ?? reaction)", "\(statements[number - 1]) \(reaction)",
      "\(number). \(reaction)", "#\(number) \(reaction)", "\(statements[number - 1]), \(reaction)",
    ]
    for index in statements.indices where index + 1 != number {
      wrong += ["\(index + 1) \(reaction)", "\(statements[index]) \(reaction)"]
      wrong.append("\(number) \(index + 1) \(reaction)")
      wrong.append("\(index + 1) \(number) \(reaction)")
    }
    for other in ["insert", "delete", "update", "move", "sectionInsert", "sectionDelete"]
    where other != reaction {
      wrong += ["\(number) \(other)", "\(number) \(other) \(reaction)"]
      wrong.append("\(number) \(reaction) \(other)")
    }
    wrong += ["\(number)", reaction, "nothing", "\(statements.count + 1) \(reaction)"]
    wrong += ["all \(reaction)", "\(number) not \(reaction)"]
  }
}
