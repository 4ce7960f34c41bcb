import GoldenTesting

/// The reports of one run: those in JSON are written while the tests run, the
/// others at the end.
final class RunReports {
  private let targets: [ReportTarget]
  private let output: Output
  private let isDryRun: Bool
  private var streams: [JSONStream] = []
  /// Whether every report could be written so far.
  private var areWritten = true

  /// Opens the files of the reports in JSON, and says which cannot be written.
  ///
  /// - Parameter isDryRun: Whether an update writes nothing.
  init(_ targets: [ReportTarget], _ output: Output, isDryRun: Bool = false) {
    self.targets = targets
    self.output = output
    self.isDryRun = isDryRun
    for case .json(let file) in targets {
      do throws(UnwritableFile) {
        output.flush()
        streams.append(JSONStream(file: file, writer: try FileWriter(file)))
      } catch {
        refuse(.init(file: file, reason: error.reason))
      }
    }
  }

  /// A report in JSON that continues.
  private struct JSONStream {
    let file: String
    let writer: FileWriter
  }

  /// Adds a test that ended.
  ///
  /// - Parameter updated: The file that was updated with its output.
  func add(_ outcome: GoldenOutcome, updated: String?) {
    guard !streams.isEmpty else { return }
    let report = JSONReport()
    let update = updated.map { [report.line(onUpdated: $0, isDryRun: isDryRun)] } ?? []
    write(update + report.lines(of: outcome) + [report.line(onTest: outcome)])
  }

  /// Adds a test that did not end.
  func add(unfinished path: String, after duration: Duration, isRunning: Bool) {
    write([JSONReport().line(onUnfinished: path, after: duration, isRunning: isRunning)])
  }

  /// Writes what is left when the run has ended.
  ///
  /// - Returns: Whether all reports could be written.
  func end(_ report: SuiteReport) -> Bool {
    let json = JSONReport()
    write(report.strayGoldens.map(json.line(onStrayGolden:)) + [json.line(on: report.sums)])
    for target in targets {
      do throws(ReportTarget.Failure) {
        try target.write(report, output)
      } catch {
        refuse(error)
      }
    }
    return areWritten
  }

  /// Writes lines at once, so that whoever reads the file, and when, sees whole ones.
  private func write(_ lines: [String]) {
    guard !streams.isEmpty else { return }
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    // It may be the same terminal or pipe.
    output.flush()
    streams.removeAll { stream in
      do throws(UnwritableFile) {
        try stream.writer.write(bytes)
        return false
      } catch {
        refuse(.init(file: stream.file, reason: error.reason))
        return true
      }
    }
  }

  private func refuse(_ failure: ReportTarget.Failure) {
    output.writeError("frc: error: \(failure.description)")
    areWritten = false
  }
}
