import GoldenTesting
import Platform
import PlaygroundServer

/// The process of one session, seen from the server.
///
/// No call waits.
final class PlaygroundProcess {
  let input: FileDescriptor
  let output: FileDescriptor
  let errors: FileDescriptor
  private var child: ChildProcess?
  private let scratchName: String
  private var frames = FrameBuffer()
  private var pending: [UInt8] = []
  private var sent = 0
  private(set) var areErrorsOpen = true
  /// Whether it was told to end.
  private(set) var isEnding = false

  /// - Throws: The system's error, for example if there are too many processes.
  init(_ settings: PlaygroundSettings) throws(SystemError) {
    let child = try ChildProcess(WorkerProcess.program, ["serve-worker"])
    (input, output, errors) = (child.input, child.output, child.errors)
    self.child = consume child
    scratchName = settings.scratchName
    for descriptor in [input, output, errors] { descriptor.neverWaits() }
    pending = settings.framed()
    writeSome()
  }

  deinit {
    kill()
    _ = end()
  }

  /// The bytes that wait until the process reads.
  var waiting: Int { pending.count - sent }

  func send(_ message: [UInt8]) {
    pending += PlaygroundFrame(message: message).framed
    writeSome()
  }

  /// Writes what is possible now.
  func writeSome() {
    guard waiting > 0, !isEnding else { return }
    do throws(SystemError) {
      sent += try input.writeSome(pending[sent...])
    } catch {
      // The process is gone, which its output will say.
      sent = pending.count
    }
    if sent == pending.count {
      pending.removeAll(keepingCapacity: pending.count < 1 << 16)
      sent = 0
    } else if sent > 1 << 20 {
      pending.removeFirst(sent)
      sent = 0
    }
  }

  /// Reads what is there.
  ///
  /// - Returns: False at the end of its output: the process has ended.
  func readSome() -> Bool {
    do throws(SystemError) {
      let piece = try output.readOnce(upTo: 1 << 16)
      frames.append(piece)
      return !piece.isEmpty
    } catch {
      return error.mayPass
    }
  }

  /// Reads standard error and ignores it, because a full pipe would stop the process.
  func skipErrors() {
    guard areErrorsOpen else { return }
    do throws(SystemError) {
      if try errors.readOnce(upTo: 1 << 12).isEmpty { areErrorsOpen = false }
    } catch {
      if !error.mayPass { areErrorsOpen = false }
    }
  }

  /// Returns the next message of the process; nil if it is not complete.
  func next() -> ArraySlice<UInt8>? { frames.next() }

  /// Kills the process.
  ///
  /// Its output ends soon.
  func kill() {
    isEnding = true
    pending = []
    sent = 0
    child?.send(.kill)
  }

  /// Waits until the process has ended, and removes its temporary files.
  ///
  /// - Returns: How it ended; nil if that was known before.
  func end() -> ChildProcess.End? {
    guard let child = child.take() else { return nil }
    isEnding = true
    areErrorsOpen = false
    let end = child.end()
    TemporaryFolder.removeAll(ofProcessNaming: scratchName)
    return end
  }
}
