import Foundation

/// How many characters a terminal shows.
public struct TerminalSize: Hashable, Sendable {
  /// The number of columns.
  public var columns: Int
  /// The number of rows.
  public var rows: Int

  /// Creates a size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// The terminal that the program runs in.
///
/// While it is open, each key reaches the program at once, nothing that is typed is shown, and the
/// program draws on the second screen that terminals have. ``close()`` puts everything back.
@MainActor
public final class Terminal {
  private let before: termios
  private var shown: [TerminalLine] = []
  private var isOpen = true

  /// Takes the terminal over.
  ///
  /// - Returns: nil where the input or the output is no terminal.
  public init?() {
    var settings = termios()
    guard isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    before = settings
    cfmakeraw(&settings)
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else { return nil }
    // The second screen, without a cursor, and without a line break at its right border.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
  }

  /// Makes the terminal what it was.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    var settings = before
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// The size of the window now.
  public var size: TerminalSize {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
      window.ws_row > 0
    else { return TerminalSize(columns: 80, rows: 24) }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Shows the lines of the whole window, and writes only those that are not shown yet.
  ///
  /// - Parameter all: Whether to write every line, as after the window changed its size.
  public func show(_ lines: [TerminalLine], all: Bool = false) {
    var output = all ? "\u{1B}[2J" : ""
    for (row, line) in lines.enumerated() {
      guard all || !shown.indices.contains(row) || shown[row] != line else { continue }
      output += "\u{1B}[\(row + 1);1H\u{1B}[K\(line.style.code)\(line.text)\u{1B}[m"
    }
    shown = lines
    write(output)
  }

  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      // A terminal that is gone takes nothing any more.
      guard count > 0 || errno == EINTR else { return }
      bytes = bytes.dropFirst(max(0, count))
    }
  }
}

/// A line and how it looks.
public struct TerminalLine: Hashable, Sendable {
  /// How a line looks.
  public enum Style: Hashable, Sendable {
    case plain
    case bold
    case dim
    case inverse

    fileprivate var code: String {
      switch self {
      case .plain: ""
      case .bold: "\u{1B}[1m"
      case .dim: "\u{1B}[2m"
      case .inverse: "\u{1B}[7m"
      }
    }
  }

  /// The text, without control characters and no longer than the window is wide.
  public let text: String
  /// How it looks.
  public let style: Style

  /// Creates a line.
  public init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}
