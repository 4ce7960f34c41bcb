import Testing

/// The objects of the contract's event stream: their keys, in its order.
struct EventStreamTests {
  @Test("each callback is an object; an update carries both paths")
  func callbacks() {
    let playback = Playback(
      """
      entity Book { title: String, publisher: String, pages: Int = 0, display title }
      insert Book(title: "Aniara", publisher: "Ace")
      insert Book(title: "Emma", publisher: "Penguin")
      insert Book(title: "Solaris", publisher: "Penguin")
      insert Book(title: "Ubik", publisher: "Penguin")
      controller books = Book sort by publisher, title section by publisher
      fetch books
      perform {
        delete Book/1
        insert Book(title: "Dune", publisher: "Zed")
        Book/2.pages = 1
        Book/4.title = "A Scanner Darkly"
      }
      """)

    #expect(
      playback.json == [
        #"{"event":"willChangeContent","controller":"books"}"#,
        #"{"event":"didChangeObject","controller":"books","type":"delete","object":"Book/1","indexPath":[0,0]}"#,
        #"{"event":"didChangeSection","controller":"books","type":"delete","index":0,"name":"Ace"}"#,
        #"{"event":"didChangeSection","controller":"books","type":"insert","index":1,"name":"Zed"}"#,
        #"{"event":"didChangeObject","controller":"books","type":"insert","object":"Book/5","newIndexPath":[1,0]}"#,
        #"{"event":"didChangeObject","controller":"books","type":"update","object":"Book/2","indexPath":[1,0],"newIndexPath":[0,1]}"#,
        #"{"event":"didChangeObject","controller":"books","type":"move","object":"Book/4","indexPath":[1,2],"newIndexPath":[0,0]}"#,
        #"{"event":"didChangeContent","controller":"books"}"#,
      ])
  }

  @Test("an update that stays where it was carries both paths, too")
  func update() {
    let playback = Playback(
      """
      entity Book { title: String }
      insert Book(title: "Dune")
      controller books = Book sort by title
      fetch books
      Book/1.title = "Dune"
      """)

    #expect(
      playback.json[1]
        == #"{"event":"didChangeObject","controller":"books","type":"update","object":"Book/1","indexPath":[0,0],"newIndexPath":[0,0]}"#
    )
  }

  @Test("a notification has a list for each key with objects, a hook its object")
  func notificationsAndHooks() {
    let playback = Playback(
      """
      entity Book { title: String, on didSave { } }
      observe main
      perform { insert Book(title: "Dune"); insert Book(title: "Emma") }
      save
      reset
      """)

    #expect(
      playback.json == [
        #"{"event":"notification","name":"objectsDidChange","context":"main","inserted":["Book/1","Book/2"]}"#,
        #"{"event":"notification","name":"willSave","context":"main"}"#,
        #"{"event":"hook","name":"didSave","object":"Book/1"}"#,
        #"{"event":"hook","name":"didSave","object":"Book/2"}"#,
        #"{"event":"notification","name":"didSave","context":"main","inserted":["Book/1","Book/2"]}"#,
        #"{"event":"notification","name":"objectsDidChange","context":"main","invalidatedAll":true}"#,
      ])
  }

  @Test("a snapshot, a difference and counts are one object a turn; the save adds a snapshot")
  func otherDelegates() {
    let playback = Playback(
      """
      entity Book { title: String, publisher: String }
      insert Book(title: "Dune", publisher: "Ace")
      insert Book(title: "Emma", publisher: "Penguin")
      save
      controller shot = Book sort by publisher, title section by publisher
      controller flat = Book sort by title
      controller counted = Book sort by publisher, title section by publisher
      fetch shot; fetch flat; fetch counted
      delegate shot snapshot
      delegate flat diff
      delegate counted counts
      perform {
        delete Book/2
        Book/1.title = "Dune Messiah"
        insert Book(title: "Aniara", publisher: "Zed")
        save
      }
      """)

    #expect(
      playback.json == [
        #"{"event":"snapshot","controller":"shot","sections":[{"name":"Ace","objects":["Book/1"]},{"name":"Zed","objects":["Book/3"]}],"reloaded":["Book/1"],"temporary":["Book/3"]}"#,
        #"{"event":"difference","controller":"flat","removals":[{"index":0,"object":"Book/1","associatedIndex":1},{"index":1,"object":"Book/2"}],"insertions":[{"index":0,"object":"Book/3"},{"index":1,"object":"Book/1","associatedIndex":0}]}"#,
        #"{"event":"counts","controller":"counted","inserts":1,"deletes":1,"moves":0,"updates":1,"sectionInserts":1,"sectionDeletes":1}"#,
        // The save made the identity of Book/3 permanent.
        #"{"event":"snapshot","controller":"shot","sections":[{"name":"Ace","objects":["Book/1"]},{"name":"Zed","objects":["Book/3"]}],"reloaded":[]}"#,
      ])
  }

  @Test("show lists sections with index titles; without a key path one named \"\"")
  func show() {
    let playback = Playback(
      """
      entity Book { title: String, publisher: String }
      insert 2 Book(title: "Dune", publisher: "Ace")
      controller sectioned = Book sort by publisher section by publisher
      controller plain = Book sort by publisher
      controller none = Book where title == "x" sort by title section by title
      fetch sectioned; fetch plain; fetch none
      show sectioned; show plain; show none
      """)

    #expect(
      playback.json == [
        #"{"event":"show","controller":"sectioned","sections":[{"name":"Ace","indexTitle":"A","objects":["Book/1","Book/2"]}]}"#,
        #"{"event":"show","controller":"plain","sections":[{"name":"","indexTitle":"","objects":["Book/1","Book/2"]}]}"#,
        #"{"event":"show","controller":"none","sections":[]}"#,
      ])
  }

  @Test("each print and each count is a value")
  func values() {
    let playback = Playback(
      """
      entity Book { title: String }
      print "two\\nlines"
      count Book
      print count(Book) + 1
      print [1, "a", nil, [true]]
      """)

    #expect(
      playback.json == [
        #"{"event":"value","value":"two\nlines"}"#, #"{"event":"value","value":0}"#,
        #"{"event":"value","value":1}"#, #"{"event":"value","value":[1,"a",null,[true]]}"#,
      ])
  }

  @Test("an ad-hoc fetch is its entity and the rows with all their values")
  func rows() {
    let playback = Playback(
      """
      entity Book { title: String }
      fetch Book
      insert Book(title: "Dune")
      fetch Book
      """)

    #expect(
      playback.json == [
        #"{"event":"rows","entity":"Book","objects":[]}"#,
        #"{"event":"rows","entity":"Book","objects":[{"object":"Book/1","values":{"title":"Dune"}}]}"#,
      ])
  }

  @Test("a value of each type is written as the contract has it")
  func types() {
    let playback = Playback(
      """
      entity Box {
        s: String, n: Int, x: Double, f: Float, d: Decimal, on: Bool, at: Date, id: UUID
        link: URI, raw: Data, none: String?
      }
      insert Box(s: "ä\\"", n: -3, x: 2.5, f: 0.5, d: 12.10, on: YES, at: @2026-11-21T09:30:00.5Z,
        id: uuid("e621e1f8-c36c-495a-93fc-0c247a3e6e5f"), link: "https://example.com/",
        raw: data("AQID"))
      fetch Box
      print [Box/1, Box/1.x * 1e20]
      """)

    #expect(
      playback.json == [
        #"{"event":"rows","entity":"Box","objects":[{"object":"Box/1","values":{"s":"ä\"","n":-3,"x":2.5,"f":0.5,"d":"12.1","on":true,"at":"2026-11-21T09:30:00.500Z","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","link":"https://example.com/","raw":"AQID","none":null}}]}"#,
        #"{"event":"value","value":["Box/1",2.5e+20]}"#,
      ])
  }

  @Test("control characters and line separators are escaped, others stand as they are")
  func escapes() {
    let playback = Playback(#"print "\"\\/\n\r\t\u{1}\u{7F}日本 \u{2028}🇯🇵""#)

    #expect(
      playback.json == [
        "{\"event\":\"value\",\"value\":\"\\\"\\\\/\\n\\r\\t\\u0001\\u007f日本 \\u2028🇯🇵\"}"
      ])
  }

  @Test("an error is its message with the place")
  func error() {
    let playback = Playback("let x = 0\nif true {\n  try print 1 / x\n}")

    #expect(
      playback.json == [
        #"{"event":"error","message":"division by zero","file":"test.frc","line":3,"column":13}"#
      ])
  }

  @Test("a request, objects and caches have events of their own")
  func further() {
    let playback = Playback(
      """
      entity Book { title: String }
      insert Book(title: "Dune")
      controller books = Book where title != nil sort by title cache "Demo"
      show books.request
      objects Book
      fetch books
      caches
      save
      fetch books
      caches
      """)

    #expect(
      playback.json == [
        #"{"event":"request","controller":"books","text":"Book where title != nil sort by title cache \"Demo\""}"#,
        #"{"event":"objects","entity":"Book","objects":[{"object":"Book/1","state":"inserted"}]}"#,
        #"{"event":"cache","name":"Demo","entity":"Book","objects":1,"sections":1,"valid":false,"reason":"it was made with unsaved or older values"}"#,
        #"{"event":"cache","name":"Demo","entity":"Book","objects":1,"sections":1,"valid":true}"#,
      ])
  }

  @Test("a model, the code of an app, explanations and notes have events of their own")
  func about() throws {
    let playback = Playback(
      """
      entity Book { title: String }
      show model
      swift Book
      insert Book(title: "Dune")
      explain
      set sql on
      stats
      """)

    let swift = try #require(playback.json.dropFirst().first)
    #expect(
      playback.json.filter { $0 != swift } == [
        #"{"event":"model","entities":["Book"],"text":"entity Book {\n  title: String\n}"}"#,
        #"{"event":"explainedTurn","statement":"insert Book(title: \"Dune\")"}"#,
        #"{"event":"explanation","sent":false,"objects":["Book/1"],"rule":"no-controller"}"#,
        #"{"event":"note","text":"the store in memory runs no statements"}"#,
        #"{"event":"stats","statements":0,"rowsRead":0,"faultsFired":0}"#,
      ])
    #expect(swift.hasPrefix(#"{"event":"swift","name":"Book","text":"import CoreData\n"#))
  }

  @Test("a history has its transactions, each with its changes")
  func history() {
    let playback = Playback(
      """
      store memory history
      set clock @2026-01-01
      entity Book { title: String, pages: Int = 1 }
      set author "app"
      history
      insert Book(title: "Dune")
      save
      set author nil
      Book/1.pages = 412
      save
      history
      """)

    #expect(
      playback.json == [
        #"{"event":"history","transactions":[]}"#,
        #"{"event":"history","transactions":[{"number":1,"author":"app","context":"main","time":"2026-01-01T00:00:00Z","changes":[{"type":"insert","object":"Book/1"}]},{"number":2,"context":"main","time":"2026-01-01T00:00:00Z","changes":[{"type":"update","object":"Book/1","properties":["pages"]}]}]}"#,
      ])
  }

  @Test("an evaluation has its parts; a part that raises has an error and no value")
  func evaluation() {
    let playback = Playback(
      """
      entity Book { title: String, pages: Int }
      insert Book(title: "Dune", pages: 412)
      evaluate pages > 100 AND pages / 0 == 1 on Book/1
      evaluate ANY {1, 500} > pages on Book/1
      """)

    #expect(
      playback.json == [
        #"{"event":"evaluation","object":"Book/1","parts":[{"depth":0,"predicate":"pages > 100 AND pages / 0 == 1","error":"Can't divide by zero"},{"depth":1,"predicate":"pages > 100","value":true,"operands":[{"expression":"pages","value":412}]},{"depth":1,"predicate":"pages / 0 == 1","error":"Can't divide by zero","operands":[{"expression":"pages","value":412}]}]}"#,
        #"{"event":"evaluation","object":"Book/1","matches":true,"parts":[{"depth":0,"predicate":"ANY {1, 500} > pages","value":true,"operands":[{"expression":"pages","value":412}],"decider":500}]}"#,
      ])
  }
}
