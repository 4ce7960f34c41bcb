import ScriptRuntime
import ScriptSyntax
import Testing

/// The events that tables add.
@Suite struct TableEventTests {
  private static let setup = """
    entity Book { title: String, publisher: String, display title }
    insert Book(title: "Dune", publisher: "Ace")
    controller books = Book sort by publisher, title section by publisher
    fetch books

    """

  @Test("operations are objects between the callbacks that they answer")
  func operations() {
    let playback = Playback(
      Self.setup + """
        table view = books { move moveRow; update configureCell }
        perform {
          insert Book(title: "Emma", publisher: "Penguin")
          Book/1.title = "Dune"
        }
        """)

    #expect(
      playback.json.filter { $0.contains("\"table\"") } == [
        #"{"event":"table","table":"view","operation":"beginUpdates"}"#,
        #"{"event":"table","table":"view","operation":"insertSections","sections":[1]}"#,
        #"{"event":"table","table":"view","operation":"insertRows","indexPaths":[[1,0]]}"#,
        #"{"event":"table","table":"view","operation":"configureCell","indexPaths":[[0,0]],"object":"Book/1"}"#,
        #"{"event":"table","table":"view","operation":"endUpdates"}"#,
      ])
    #expect(playback.failure == nil)
  }

  @Test("a move has two index paths, reloadData none")
  func moves() {
    let playback = Playback(
      Self.setup + """
        insert Book(title: "Ubik", publisher: "Ace")
        table view = books { move moveRow }
        Book/2.title = "Babel"
        reload view
        """)

    #expect(
      playback.json.filter { $0.contains("moveRow") || $0.contains("reloadData") } == [
        #"{"event":"table","table":"view","operation":"moveRow","indexPath":[0,1],"newIndexPath":[0,0]}"#,
        #"{"event":"table","table":"view","operation":"reloadData"}"#,
      ])
  }

  @Test("an exception has its name and its reason; the console's line is no event")
  func exception() {
    let playback = Playback(
      Self.setup + """
        table view = books { delete deleteRows reloadRows; sectionDelete nothing }
        delete Book/1
        """)

    #expect(
      playback.json.filter { $0.contains("exception") } == [
        #"{"event":"exception","name":"NSInternalInconsistencyException","reason":"attempt to delete and reload the same index path (0 - 0)","table":"view"}"#
      ])
    #expect(!playback.json.contains { $0.contains("console") })
    #expect(playback.lines.last?.hasPrefix("console: CoreData: error: Serious") == true)
    #expect(playback.failure == nil)
  }

  @Test("each call of the data source is an object")
  func dataSource() {
    let playback = Playback(Self.setup + "table view = books\ntrace view on\nreload view")

    #expect(
      playback.json.filter { $0.contains("dataSource") } == [
        #"{"event":"dataSource","table":"view","call":"numberOfSections","value":1}"#,
        #"{"event":"dataSource","table":"view","call":"numberOfRows","section":0,"value":1}"#,
        #"{"event":"dataSource","table":"view","call":"sectionIndexTitles","value":["A"]}"#,
        #"{"event":"dataSource","table":"view","call":"titleForHeader","section":0,"value":"Ace"}"#,
        #"{"event":"dataSource","table":"view","call":"cellForRow","indexPath":[0,0],"value":"Book/1"}"#,
      ])
  }

  @Test("show tells of each line, with its mark and what is stale")
  func show() {
    let playback = Playback(
      Self.setup + """
        table view = books { update nothing }
        Book/1.title = "Dune Messiah"
        insert Book(title: "Ubik", publisher: "Ace")
        show view
        """)

    #expect(
      playback.json.last
        == #"{"event":"showTable","table":"view","controller":"books","lines":[{"title":"Ace"},{"indexPath":[0,0],"object":"Book/1","stale":"it is \"Dune Messiah\" now"},{"indexPath":[0,1],"object":"Book/2","mark":"inserted"}],"indexTitles":["A"]}"#
    )
  }
}
