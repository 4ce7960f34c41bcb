import LineEditor
import Platform

/// The brightness of the terminal's background, as the terminal reports it.
struct TerminalBackground {
  /// Whether the background is light; nil if the terminal does not say.
  let isLight: Bool?
  /// The bytes that the user typed in the meantime.
  let typedAhead: [UInt8]

  /// How long the terminal may take to answer, in milliseconds.
  private static let patience: Int32 = 200
  /// The largest number of bytes that are read before the answer.
  private static let mostBytes = 4096

  /// The kinds of terminals that answer, or ignore unknown questions.
  private static let kinds = [
    "xterm", "tmux", "screen", "rxvt", "alacritty", "foot", "ghostty", "konsole", "st-", "wezterm",
    "contour", "vte", "gnome",
  ]

  /// Asks the terminal for its background (OSC 11), and then for its attributes.
  ///
  /// Every terminal answers the second question. If the first answer is missing then, the terminal
  /// does not know it.
  static func ask() -> TerminalBackground {
    let nothing = TerminalBackground(isLight: nil, typedAhead: [])
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal,
      kinds.contains(where: { TerminalSettings.kind.hasPrefix($0) }),
      let mode = KeyMode(.standardInput)
    else { return nothing }
    let endings = [Signal.hangUp, .quit, .terminate].map { signal in
      (signal, TerminalRestorer.endAtOnce(by: signal))
    }
    mode.enter()
    defer {
      mode.leave()
      for case (let signal, let action?) in endings { signal.restore(action) }
    }
    do throws(SystemError) {
      try FileDescriptor.standardOutput.write("\u{1B}]11;?\u{1B}\\\u{1B}[c".utf8)
    } catch {
      return nothing
    }
    var bytes: [UInt8] = []
    let end = ContinuousClock.now + .milliseconds(Int64(patience))
    loop: while bytes.count < mostBytes, TerminalAnswer(bytes).attributes == nil {
      let left = end - .now
      guard left > .zero else { break }
      let milliseconds = Int32(left.components.attoseconds / 1_000_000_000_000_000)
      switch FileDescriptor.wait(for: [.standardInput], milliseconds: max(1, milliseconds)) {
      case .ready: break
      // The answers still come after a Ctrl-C, and would look like typed text.
      case .interrupted: continue
      case .timeout, .failed: break loop
      }
      guard let piece = try? FileDescriptor.standardInput.readOnce(upTo: 256), !piece.isEmpty
      else { break }
      bytes += piece
    }
    let answer = TerminalAnswer(bytes)
    // Ctrl-C discards what was typed before it.
    return TerminalBackground(
      isLight: answer.isLight, typedAhead: InterruptFlag.isRaised ? [] : answer.others)
  }
}

/// A terminal's answers, and what the user typed between them.
struct TerminalAnswer {
  /// Whether the background is light; nil if that was not answered.
  private(set) var isLight: Bool?
  /// The terminal's attributes; nil if they have not come yet.
  private(set) var attributes: String?
  /// All other bytes.
  private(set) var others: [UInt8] = []

  private static let escape: UInt8 = 0x1B
  private static let bell: UInt8 = 0x07

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let first = rest.first {
      if first == Self.escape, let (text, count) = Self.sequence(rest) {
        if text.hasPrefix("]11;") {
          isLight = Self.isLight(text.dropFirst(4))
        } else if text.hasPrefix("[?"), text.hasSuffix("c") {
          attributes = text
        } else {
          others += rest.prefix(count)
        }
        rest = rest.dropFirst(count)
      } else {
        others.append(first)
        rest = rest.dropFirst()
      }
    }
  }

  /// Returns the control sequence or string at the start, with its length; nil if there is none or
  /// if it is incomplete.
  private static func sequence(_ bytes: ArraySlice<UInt8>) -> (text: String, count: Int)? {
    let body = bytes.dropFirst()
    switch body.first {
    case UInt8(ascii: "["):
      guard let end = body.dropFirst().firstIndex(where: { 0x40...0x7E ~= $0 }) else { return nil }
      return (String(decoding: body[...end], as: UTF8.self), end - bytes.startIndex + 1)
    case UInt8(ascii: "]"):
      guard let end = body.firstIndex(where: { $0 == bell || $0 == escape }) else { return nil }
      let isLong = body[end] == escape
      if isLong, end + 1 == body.endIndex { return nil }
      let count = end - bytes.startIndex + (isLong ? 2 : 1)
      return (String(decoding: body[..<end], as: UTF8.self), count)
    default: return nil
    }
  }

  /// Whether a colour such as `rgb:ffff/ffff/ffff` is light.
  private static func isLight(_ text: Substring) -> Bool? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let parts = text[text.index(after: colon)...].split(separator: "/").prefix(3).map { part in
      Int(part, radix: 16).map { Double($0) / Double((1 << (4 * min(part.count, 8))) - 1) }
    }
    guard parts.count == 3, let red = parts[0], let green = parts[1], let blue = parts[2] else {
      return nil
    }
    // The weights give the brightness that the eye sees.
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
  }
}
