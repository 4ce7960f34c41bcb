import GoldenTesting
package import ScriptRuntime
package import ScriptSyntax

/// Runs a script on every store and returns the first law that it breaks.
package struct Trial {
  private let environment: () -> any ScriptEnvironment
  private let stores: [TrialStore]

  /// - Parameter environment: Makes the environment of one run, which provides its files.
  package init(
    environment: @escaping () -> any ScriptEnvironment, stores: [TrialStore] = [.memory]
  ) {
    self.environment = environment
    self.stores = stores
  }

  /// Returns how a script fails, or nil if it does not.
  ///
  /// If a statement has expected output below it, it must print exactly that.
  package func failure(of script: ParsedScript) -> TrialFailure? {
    do throws(TrialFailure) {
      var first: [TrialOutput]?
      for store in stores {
        let outputs = try outputs(of: script, on: store)
        guard let first else {
          first = outputs
          continue
        }
        try Self.compare(outputs, with: first, on: store)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Returns what each statement prints and saves on a store.
  private func outputs(
    of script: ParsedScript, on store: TrialStore
  ) throws(TrialFailure) -> [TrialOutput] {
    let run = try TrialRun(on: store, environment: environment())
    let directives = TestDirectives(script)
    var captured = CapturedTexts()
    var outputs: [TrialOutput] = []
    for group in script.groups {
      let start = outputs.count
      for statement in script.statements[group.statements] {
        outputs.append(try run.perform(statement, in: script.source))
      }
      let actual = outputs[start...].flatMap(\.lines)
      let expected = group.expected.map(\.text)
      let isUnordered = directives.unorderedBlocks.contains(group.lines.lowerBound)
      let expectation = ExpectedOutput(expected, isUnordered: isUnordered, captured: captured)
      if let names = expectation.captures(from: actual) {
        captured = names
        continue
      }
      guard !expected.isEmpty else { continue }
      throw TrialFailure(
        .golden(expected: expected, actual: actual),
        "line \(group.lines.lowerBound) does not print the text below it")
    }
    return outputs
  }

  /// Compares what two stores print and save.
  static func compare(
    _ outputs: [TrialOutput], with first: [TrialOutput], on store: TrialStore
  ) throws(TrialFailure) {
    for (other, one) in zip(outputs, first) where other != one {
      guard other.lines == one.lines, let rows = other.rows, let firstRows = one.rows else {
        throw TrialFailure(
          .store(store.name),
          "prints '\(other.lines.joined(separator: "; "))' in place of "
            + "'\(one.lines.joined(separator: "; "))'")
      }
      throw TrialFailure(.rows(store.name), rows.difference(from: firstRows))
    }
  }
}

/// The output of a statement, and the rows of the store after it.
package struct TrialOutput: Equatable {
  package let lines: [String]
  /// Nil if the statement saved nothing.
  let rows: SavedRows?
}
