import GoldenTesting

/// The reports of one run.
///
/// Those in JSON are written while the tests run, the others at the end.
final class RunReports {
  private let targets: [ReportTarget]
  private let output: Output
  private let isDryRun: Bool
  private var streams: [JSONStream] = []
  /// Whether all reports could be written so far.
  private var areWritten = true

  /// Opens the files of JSON reports, and prints which ones cannot be written.
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

  /// A JSON report that is being written.
  private struct JSONStream {
    let file: String
    let writer: FileWriter
  }

  /// Adds a finished test.
  ///
  /// - Parameter updated: The file that was updated with its output.
  func add(_ outcome: GoldenOutcome, updated: String?) {
    guard !streams.isEmpty else { return }
    let report = JSONReport()
    let update = updated.map { [report.line(onUpdated: $0, isDryRun: isDryRun)] } ?? []
    write(update + report.lines(of: outcome) + [report.line(onTest: outcome)])
  }

  /// Adds a test that did not finish.
  func add(unfinished path: String, after duration: Duration, isRunning: Bool) {
    write([JSONReport().line(onUnfinished: path, after: duration, isRunning: isRunning)])
  }

  /// Writes the remaining reports after the run.
  ///
  /// - Returns: Whether all reports could be written.
  func end(_ report: SuiteReport) -> Bool {
    let json = JSONReport()
    write(
      report.strayGoldens.map(json.line(onStrayGolden:))
        + report.unread.map(json.line(onUnread:)) + [json.line(on: report.sums)])
    for target in targets {
      do throws(ReportTarget.Failure) {
        try target.write(report, output)
      } catch {
        refuse(error)
      }
    }
    return areWritten
  }

  /// Writes lines in one call, so that readers of the file always see complete lines.
  private func write(_ lines: [String]) {
    guard !streams.isEmpty else { return }
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    // Both may go to the same terminal or pipe.
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
