import ArgumentParser
import GoldenTesting
import LineEditor
import ScriptSyntax

/// Options of `frc test` for coverage.
struct CoverageOptions: ParsableArguments {
  @Flag(
    help: """
      List the rules, statements, callbacks and table exceptions, each with the number of tests \
      that exercise it, the least covered first.
      """)
  var coverage = false

  @Option(
    help: ArgumentHelp(
      "Fail if the tests exercise less than this percentage of them.", valueName: "percent"))
  var coverageFloor: Double?

  func validate() throws {
    if let coverageFloor, !(0...100).contains(coverageFloor) {
      throw ValidationError("--coverage-floor \(coverageFloor): 0 to 100 is needed")
    }
  }

  /// Runs the tests once more, and prints what they exercise.
  ///
  /// - Returns: Whether the coverage is sufficient.
  func tell(
    of tests: [PreparedTest], _ options: GoldenSuite.Options, _ permissions: Permissions,
    isJSON: Bool,
    _ output: Output
  ) -> Bool {
    guard coverage || coverageFloor != nil, !InterruptFlag.isRaised else { return true }
    let suite = GoldenSuite(
      tests, options: options, isInterrupted: { InterruptFlag.isRaised },
      environment: { FileEnvironment(permissions: permissions, storeFolder: ScratchFolder()) })
    let coverage = suite.coverage()
    if self.coverage {
      for line in isJSON ? coverage.jsonLines : coverage.lines { output.write(line) }
    }
    let share = coverage.share()
    guard let coverageFloor, share.percent < coverageFloor, !InterruptFlag.isRaised else {
      return true
    }
    output.writeError(
      "frc: error: the tests exercise \(share.words), which is below the floor of \(coverageFloor) %"
    )
    return false
  }
}
