/// A suite of 180 ordinary tests with attacks between them.
struct HostileSuite {
  let program: FRCProgram
  /// The verdicts of the ordinary tests, by their paths.
  private(set) var verdicts: [String: String] = [:]

  /// Limits with which the suite ends soon.
  static let limits = ["--timeout", "2s", "--max-memory", "64MB", "--max-output", "1MB"]

  /// - Parameter attacks: The attacks to add to the tests.
  init(_ attacks: [ResourceAttack] = ResourceAttack.all) throws {
    program = try FRCProgram()
    for number in 0..<180 {
      // The paths place the attacks between the tests in the order of the run.
      let path = "t/\(Self.letter(number))/\(number).frc"
      let (script, verdict) = Self.ordinary(number)
      try program.write(script, to: path)
      verdicts[path] = verdict
    }
    for (number, attack) in attacks.enumerated() {
      let folder = "t/\(Self.letter(number * 7))/"
      try program.write(attack.script, to: folder + attack.name + ".frc")
      for (name, text) in attack.files { try program.write(text, to: folder + name) }
    }
  }

  private static func letter(_ number: Int) -> String {
    String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number % 26)))
  }

  private static func ordinary(_ number: Int) -> (script: String, verdict: String) {
    let plain = """
      entity Book { title: String }
      insert \(number % 5 + 1) Book(title: "Book \\(i)")
      save
      let n = \(number)
      print n * 2
      #> \(number * 2)
      count Book

      """
    switch number % 6 {
    case 0: return (plain + "#> 99\n", "failed")
    case 1: return ("#@ skip not today\n" + plain, "skipped")
    case 2: return ("#@ xfail known\n" + plain + "#> 99\n", "expectedFailure")
    default: return (plain + "#> \(number % 5 + 1)\n", "passed")
    }
  }
}
