import ScriptSyntax
import Testing

@Suite("Formatting")
struct FormattingTests {
  private func format(_ text: String) -> String {
    String(decoding: ScriptFormatter.format(parse(text)), as: UTF8.self)
  }

  @Test("blanks between tokens are one or none")
  func blanks() {
    let text = """
      entity  Manga:Book{volume:Int=0,tags : [ Tag ]?  inverse  books}
      insert   Book ( title :"a  b",pages: - 3 *( 2+x ) )
      dune . pages+=10;print  books [ 0,1 ] . title
      print -x - -1 ; print !a&&NOT b; for i in 1 ... n-1{print( i )}
      if count (Book)==0{ }else{save}
      set  locale  de-AT
      """

    #expect(
      format(text) == """
        entity Manga : Book { volume: Int = 0, tags: [Tag]? inverse books }
        insert Book(title: "a  b", pages: -3 * (2 + x))
        dune.pages += 10; print books[0, 1].title
        print -x - -1; print !a && NOT b; for i in 1...n - 1 { print (i) }
        if count(Book) == 0 { } else { save }
        set locale de-AT

        """)
  }

  @Test("a predicate keeps its signs, and blanks where it has any")
  func predicates() {
    #expect(
      format("fetch Book where   a=='x  y'  AND #size>3&&b IN{1,  2}   sort by  a desc\n")
        == "fetch Book where a=='x  y' AND #size>3&&b IN{1, 2} sort by a desc\n")
  }

  @Test("what continues a request stands under its source, other lines two columns in")
  func continuations() {
    let text = """
      request recent = Book where pages > 1
      AND (a == 1 OR
      b == 2)
          sort by title,
        pages desc
      let x =
      1 +
      2
      insert Book(
      title: "x",
      pages: [
      1
      ]
      )
      print a \\
      + b
      """

    #expect(
      format(text) == """
        request recent = Book where pages > 1
                         AND (a == 1 OR
                           b == 2)
                         sort by title,
                         pages desc
        let x =
          1 +
          2
        insert Book(
          title: "x",
          pages: [
            1
          ]
        )
        print a \\
          + b

        """)
  }

  @Test("blocks are indented, and empty lines stay but for those at the end")
  func blocks() {
    let text = """


      ; ;
      perform bg {

      save ; update Book
      where a == 1 {
      pages = 1


      title = "x"
      }
          # of the save

      }
      if a { for b in c {
      print b } }
      else {
      delegate books {
      didChangeObject {
      print $type } } }


      """

    #expect(
      format(text) == """


        ;;
        perform bg {

          save; update Book
                       where a == 1 {
            pages = 1


            title = "x"
          }
          # of the save

        }
        if a { for b in c {
          print b } }
        else {
          delegate books {
            didChangeObject {
              print $type } } }

        """)
  }

  @Test("comments are kept, those of lines that follow one another in one column")
  func comments() {
    let text = """
      #no blank
        # indented
      entity Book {
      title: String # 題
         # its length
      pages: Int    # 数
      題: Int # three
      }
      save # last
      """

    #expect(
      format(text) == """
        #no blank
        # indented
        entity Book {
          title: String  # 題
          # its length
          pages: Int  # 数
          題: Int     # three
        }
        save  # last

        """)
  }

  @Test("expected output and directives are never touched")
  func expectations() {
    let text = "print   1 \n#>   1  \n  #> a comment\t\n#@ skip   why  \n\n\n#> stray\t\r\n#>"

    #expect(
      format(text)
        == "print 1\n#>   1  \n  #> a comment\t\n#@ skip   why  \n\n\n#> stray\t\r\n#>")
  }

  @Test("each line keeps its end, and the file its byte order mark")
  func lineEnds() {
    #expect(format("\u{FEFF}save\r\nundo\nredo") == "\u{FEFF}save\r\nundo\nredo\r\n")
    #expect(format("") == "")
    #expect(format("\n\n") == "")
    #expect(format("# only") == "# only\n")
  }
}
