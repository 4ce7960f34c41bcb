package import FetchedResults

/// The values of a predicate's parts for an object, as `evaluate` lists them.
package struct ShownEvaluation {
  package let object: ObjectID
  /// The parts: the whole predicate first, and each part before the parts inside it.
  package let parts: [Part]

  package struct Part {
    /// The number of parts that enclose this one.
    package let depth: Int
    package let predicate: String
    package let outcome: Result<Bool, Failure>
    /// The sides of a comparison, except for literals.
    package let operands: [Operand]
    /// The element that decided an ANY or ALL.
    package let decider: PredicateValue?
  }

  package struct Operand {
    package let text: String
    package let value: PredicateValue
    /// The collection that a SUBQUERY searched.
    package let collection: PredicateValue?
  }

  package struct Failure: Error {
    package let message: String
  }
}

extension ShownEvaluation.Part: CustomStringConvertible {
  /// `  pages > 100: true (pages is 412)`.
  package var description: String {
    let indent = String(repeating: "  ", count: depth)
    var notes = operands.map(\.description)
    if let decider, case .success(let value) = outcome {
      // An ANY is true, and an ALL is false, because of this element.
      notes.append("\(decider.shownText) " + (value ? "fits" : "does not fit"))
    }
    let looked = notes.isEmpty ? "" : " (" + notes.joined(separator: ", ") + ")"
    switch outcome {
    case .success(let value): return "\(indent)\(predicate): \(value)\(looked)"
    case .failure(let failure):
      // The engine's message about a value may contain line ends.
      let message = failure.message.linesOfText.joined(separator: " ")
      return "\(indent)\(predicate): error: \(message)\(looked)"
    }
  }
}

extension ShownEvaluation.Operand: CustomStringConvertible {
  /// `pages is 412`, `SUBQUERY kept {Book/1} of {Book/1, Book/2}`.
  package var description: String {
    guard let collection else { return "\(text) is \(value.shownText)" }
    return "SUBQUERY kept \(value.shownText) of \(collection.shownText)"
  }
}

extension PredicateValue {
  /// The value as a script writes it; for a collection, its first elements.
  fileprivate var shownText: String {
    switch self {
    case .value(let value): return value.quotedDescription
    case .subject(let subject): return subject.identity.quotedDescription
    case .dictionary: return description
    case .list(let elements), .set(let elements):
      let shown = elements.prefix(Self.shownElements).map(\.shownText).joined(separator: ", ")
      guard elements.count > Self.shownElements else { return "{\(shown)}" }
      return "{\(shown), … \(elements.count) in all}"
    }
  }

  private static var shownElements: Int { 5 }

  fileprivate var json: JSON {
    switch self {
    case .value(let value): JSON(value)
    case .subject(let subject): JSON(subject.identity)
    case .list(let elements), .set(let elements): .array(elements.map(\.json))
    case .dictionary(let entries):
      .object(entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
    }
  }
}

extension ShownEvaluation {
  /// The event's fields.
  ///
  /// `matches` is left out if the whole predicate raises an error.
  var fields: [(String, JSON?)] {
    let whole = parts.first.flatMap { try? $0.outcome.get() }
    return [
      ("object", .string(object.description)), ("matches", whole.map(JSON.boolean)),
      ("parts", .array(parts.map(\.json))),
    ]
  }
}

extension ShownEvaluation.Part {
  fileprivate var json: JSON {
    var fields: [(String, JSON)] = [
      ("depth", .number(String(depth))), ("predicate", .string(predicate)),
    ]
    switch outcome {
    case .success(let value): fields.append(("value", .boolean(value)))
    case .failure(let failure): fields.append(("error", .string(failure.message)))
    }
    if !operands.isEmpty { fields.append(("operands", .array(operands.map(\.json)))) }
    if let decider { fields.append(("decider", decider.json)) }
    return .object(fields)
  }
}

extension ShownEvaluation.Operand {
  fileprivate var json: JSON {
    .object(
      [("expression", .string(text)), ("value", value.json)]
        + (collection.map { [("collection", $0.json)] } ?? []))
  }
}
