"""Scripts that are large by what they define and by their objects."""

from texts import BOOK, times

SHELF = BOOK + "controller books = Book sort by title\n"
SECTIONS = (
    "entity Book { title: String, pages: Int = 0 }\n"
    "controller books = Book sort by pages, title section by pages\n")
LIBRARY = (
    "entity Author { name: String, books: [Book] inverse author on delete cascade }\n"
    "entity Book { title: String, author: Author? }\n"
    "insert Author(name: 'A')\n")
HISTORY = 'store sqlite "a.sqlite" history\n' + BOOK


def inserted(n, pages="{i}"):
    return times(f'insert Book(title: "t{{i:07}}", pages: {pages})', n)


def in_one_turn(n, pages="{i}"):
    return "perform {\n" + inserted(n, pages) + "}\n"


def library(n, *after, made="save\n"):
    return LIBRARY + "perform {\n" + times(
        "insert Book(title: 't{i:07}', author: Author/1)", n) + "}\n" + made + "\n".join(after) + "\n"


HOOKS = ("awakeFromInsert", "awakeFromFetch", "willSave", "didSave", "prepareForDeletion",
         "validateForDelete")

SCRIPTS = [
    # Models.
    ("entities", lambda n: times("entity Book{i} {{ title: String? }}", n)
     + times("insert Book{i}(title: 'a')", n) + "save\nshow model\n", "model", 100),
    ("entities that inherit", lambda n: "entity Book0 { title: String? }\n"
     + times("entity Book{j} : Book0 {{ a{i}: Int? }}", n) + times("insert Book{i}()", n)
     + "count Book0\nsave\n", "model", 50),
    ("entities, each the parent of the next", lambda n: "entity Book0 { title: String? }\n"
     + times("entity Book{j} : Book{i} {{ }}", n) + f"insert Book{n}()\ncount Book0\nsave\n", "model", 50),
    ("attributes", lambda n: "entity Book {\n" + times("a{i}: Int = {i}", n) + "}\ninsert Book("
     + ", ".join(f"a{i}: 1" for i in range(n)) + ")\nsave\nobjects Book\nshow model\n", "model", 100),
    ("attributes that are set one by one", lambda n: "entity Book {\n" + times("a{i}: Int = {i}", n)
     + "}\ninsert Book()\nperform {\n" + times("Book/1.a{i} = 2", n) + "}\nsave\n", "every", 50),
    ("relationships of an entity", lambda n: "entity Author { name: String\n"
     + times("books{i}: [Book] inverse author{i}", n) + "}\nentity Book {\n"
     + times("author{i}: Author?", n) + "}\ninsert Author(name: 'a')\ninsert Book()\nsave\n", "model", 50),
    ("unique attributes", lambda n: "entity Book {\n" + times("a{i}: Int = {i}\nunique a{i}", n)
     + "}\ninsert Book()\nsave\n", "every", 50),
    ("derived attributes", lambda n: "entity Book { title: String\n"
     + times("derived d{i}: String? = 'canonical:(title)'", n) + "}\ninsert Book(title: 'a')\nsave\n",
     "every", 50),
    ("transient attributes", lambda n: "entity Book { title: String\n"
     + times("transient d{i}: String = title", n) + "}\ninsert Book(title: 'a')\nsave\n", "every", 50),
    ("entities with hooks", lambda n: times(
        "entity Book{i} {{ a: Int = 0\non willSave {{ self.a = 1 }} }}", n)
     + times("insert Book{i}()", n) + "save\n", "every", 50),
    ("calls of hooks", lambda n: "entity Book { a: Int = 0\n" + "".join(
        f"on {hook} {{ }}\n" for hook in HOOKS) + "}\ninsert " + str(n)
     + " Book()\nsave\ndelete Book\nsave\n", "running", 250),
    ("properties of swift", lambda n: "entity Book {\n" + times("a{i}: Int = {i}", n)
     + "}\nswift Book\n", "running", 100),
    # Objects.
    ("objects, each inserted in a turn", lambda n: BOOK + inserted(n), "every"),
    ("objects, each saved", lambda n: BOOK + times("insert Book(title: '{i}')\nsave", n), "running"),
    ("objects, each saved to SQLite", lambda n: 'store sqlite "a.sqlite"\n' + BOOK
     + times("insert Book(title: '{i}')\nsave", n), "store"),
    ("objects in one turn", lambda n: SHELF + "fetch books\n" + in_one_turn(n) + "show books\n", "every"),
    ("objects that are listed", lambda n: BOOK + in_one_turn(n) + "objects Book\nfetch Book\n", "running"),
    ("objects of a list", lambda n: BOOK + in_one_turn(n)
     + "let all = fetch Book\nfor one in all { one.pages += 1 }\nprint all.count\n", "running"),
    ("changes of one object", lambda n: SHELF + "fetch books\ninsert Book(title: 'a')\nperform {\n"
     + times("Book/1.pages = {i}", n) + "}\n", "every"),
    ("updates in one turn", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\n"
     "update Book { pages += 1 }\n", "running"),
    ("moves in one turn", lambda n: "entity Book { title: String, pages: Int = 0 }\n"
     "controller books = Book sort by pages\n" + in_one_turn(n) + "save\nfetch books\n"
     "for one in fetch Book { one.pages = 0 - one.pages }\n", "running"),
    ("moves between sections", lambda n: SECTIONS + in_one_turn(n, "{i} % 10") + "save\nfetch books\n"
     "update Book { pages += 5 }\n", "running"),
    ("deletions in one turn", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\ndelete Book\n",
     "running"),
    ("deletions, each in a turn", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\n"
     + times("delete Book/{j}", n), "running"),
    ("turns that a controller tracks", lambda n: SHELF + "fetch books\n" + inserted(n), "turns"),
    ("turns that a table shows", lambda n: SHELF + "table view = books\nfetch books\n" + inserted(n),
     "turns"),
    ("turns at the front of the list", lambda n: SHELF + "fetch books\n" + times(
        "insert Book(title: \"t{i}\", pages: 1)\nBook/{j}.title = '0'", n), "running"),
    ("sections", lambda n: SECTIONS + "fetch books\n" + in_one_turn(n) + "show books\n", "every"),
    ("sections, each inserted in a turn", lambda n: SECTIONS + "fetch books\n" + inserted(n), "turns"),
    ("a table with n sections", lambda n: SECTIONS + "table view = books\nfetch books\n"
     + in_one_turn(n) + "show view\n", "every"),
    ("a table that traces", lambda n: SHELF + "table view = books\nfetch books\ntrace view on\n"
     + in_one_turn(n) + "reload view\n", "running"),
    ("a suspended table", lambda n: SHELF + "table view = books\nfetch books\nsuspend view\n"
     + inserted(n) + "resume view\nexplain\n", "running"),
    ("a window of the results", lambda n: "entity Book { title: String, pages: Int = 0 }\n"
     "controller books = Book sort by title limit 10 keep limit\nfetch books\n" + inserted(n), "running"),
    ("related objects that are tracked", lambda n: LIBRARY
     + "controller books = Book sort by author.name, title track related\nfetch books\nperform {\n"
     + times("insert Book(title: '{i}', author: Author/1)", n) + "}\nAuthor/1.name = 'B'\n", "running"),
    ("controllers", lambda n: BOOK + times("controller c{i} = Book sort by title", n)
     + times("fetch c{i}", n) + "insert Book(title: 'a')\n", "every", 100),
    ("tables", lambda n: SHELF + times("table t{i} = books", n) + "fetch books\ninsert Book(title: 'a')\n",
     "every", 100),
    ("requests", lambda n: BOOK + times("request r{i} = Book where pages > {i} sort by title", n)
     + times("fetch r{i}", n) + "show model\n", "every", 100),
    ("delegates with blocks", lambda n: SHELF + "delegate books { didChangeObject { print $object } }\n"
     "fetch books\n" + in_one_turn(n), "running"),
    ("explanations", lambda n: SHELF + "fetch books\n" + in_one_turn(n) + "explain\n", "running"),
    ("sort keys", lambda n: "entity Book {\n" + times("a{i}: Int = 0", n) + "}\ninsert 20 Book()\n"
     "controller c = Book sort by " + ", ".join(f"a{i}" for i in range(n))
     + "\nfetch c\ninsert Book()\nexplain\n", "every", 50),
    ("caches", lambda n: BOOK + times(
        "controller c{i} = Book sort by title cache 'k{i}'\ndelegate c{i} none\nfetch c{i}", n)
     + "caches\n", "running", 50),
    # Contexts.
    ("contexts", lambda n: BOOK + times("context c{i}", n) + times(
        "perform c{i} {{ insert Book(title: 'a') }}", n) + "save\n", "every", 100),
    ("contexts, each saved", lambda n: BOOK + times("context c{i}", n) + times(
        "perform c{i} {{ insert Book(title: 'a'); save }}", n), "running", 100),
    ("contexts that follow", lambda n: BOOK + times("context c{i}\nautomerge c{i} on", n)
     + "insert Book(title: 'a')\nsave\n", "running", 100),
    ("observers", lambda n: BOOK + "observe main\n" + in_one_turn(n) + "save\n", "running"),
    ("undo", lambda n: BOOK + inserted(n) + "undo\n" * n + "redo\n" * n, "running"),
    ("undo of objects in relationships that their rule keeps", lambda n: LIBRARY.replace(
        "cascade", "deny") + f"insert {n} Book(title: 'a')\nsave\n"
     "perform { for b in fetch Book { insert Author(name: 'A', books: [b]) } }\nundo\nredo\n",
     "running"),
    ("rollback", lambda n: SHELF + "fetch books\n" + in_one_turn(n) + "rollback\n", "running"),
    ("reset", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\nreset\n", "running"),
    ("refresh", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\nrefresh all\nobjects Book\n",
     "running"),
    ("refreshes of one object each", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\n"
     + times("refresh Book/{j}", n), "running"),
    ("merges", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\ncontext other\n"
     "perform other { update Book { pages += 1 }; save }\nmerge other into main\n", "running"),
    ("conflicts", lambda n: BOOK + in_one_turn(n) + "save\ncontext other policy overwrite\n"
     "perform other { update Book { pages += 1 } }\nupdate Book { pages += 2 }\nsave\n"
     "save other\n", "running"),
    ("conflicts of unique values", lambda n: "entity Book { title: String, unique title }\n"
     "perform {\n" + times("insert Book(title: '{i}')", n) + "}\nsave\ncontext other policy overwrite\n"
     "perform other {\n" + times("insert Book(title: '{i}')", n) + "}\nsave other\n", "running"),
    ("batch requests", lambda n: SHELF + in_one_turn(n) + "save\nfetch books\n"
     "batch update Book { pages += 1 }\nmerge batch into main\nbatch delete Book\n"
     "merge batch into main\n", "running"),
    ("objects of a batch insert", lambda n: BOOK + "batch insert "
     + ",\n".join(f"Book(title: 'a{i}')" for i in range(n)) + "\n", "every"),
    # Relationships.
    ("relationships of one object, in one turn", lambda n: library(n, "print Author/1.books.count"),
     "every"),
    ("relationships of one object, each in a turn", lambda n: LIBRARY + times(
        "insert Book(title: '{i}', author: Author/1)", n), "running"),
    ("relationships of one object, removed one by one", lambda n: library(
        n, times("Book/{j}.author = nil", n)), "running"),
    ("relationships, given by +=", lambda n: LIBRARY + f"insert {n} Book(title: 'a')\n" + times(
        "Author/1.books += Book/{j}", n), "running"),
    ("ordered relationships, given by +=", lambda n: LIBRARY.replace("inverse", "ordered inverse")
     + f"insert {n} Book(title: 'a')\n" + times("Author/1.books += Book/{j}", n), "running"),
    ("relationships of one object, saved", lambda n: LIBRARY + times(
        "insert Book(title: '{i}', author: Author/1)\nsave", n), "running"),
    ("relationships of one object, in SQLite", lambda n: 'store sqlite "a.sqlite"\n'
     + library(n, "reset", "print count(Book where author.name == 'A')"), "store"),
    ("many-to-many relationships", lambda n: "entity Tag { name: String, books: [Book] inverse tags }\n"
     "entity Book { title: String, tags: [Tag] }\ninsert 10 Tag(name: 'a')\nlet tags = fetch Tag\n"
     f"insert {n} Book(title: 'b', tags: tags)\nsave\nprint Tag/1.books.count\n", "running"),
    ("a cascade of one object", lambda n: library(n, "delete Author/1", "save"), "running"),
    ("a cascade from object to object", lambda n: "entity Node { a: Int = 0, next: Node? inverse "
     "previous on delete cascade, previous: Node? }\n" + f"insert {n} Node()\nperform {{\n" + times(
         "Node/{j}.previous = Node/{i}", n - 1).replace("Node/1.previous = Node/0\n", "")
     + "}\nsave\ndelete Node/1\nsave\n", "running"),
    ("a sort by a related object", lambda n: library(
        n, "controller c = Book sort by author.name, title", "fetch c", "show c"), "running"),
    ("a predicate over a relationship", lambda n: library(
        n, "count Author where ANY books.title == 'x'", "count Author where books.@count > 1"), "running"),
    ("a derived count", lambda n: LIBRARY.replace(
        "name: String,", "name: String, derived n: Int = 'books.@count',") + "perform {\n" + times(
        "insert Book(title: '{i}', author: Author/1)", n) + "}\nsave\nprint Author/1.n\n", "running"),
    # Fetches.
    ("dictionaries in groups", lambda n: BOOK + in_one_turn(n) + "save\n"
     "fetch Book values pages, count(title) group by pages having countTitle > 0\n"
     "fetch Book values title distinct\n", "running"),
    ("fetches", lambda n: BOOK + "insert Book(title: 'a')\n" + "count Book\n" * n, "every"),
    ("a localized sort", lambda n: BOOK + in_one_turn(n)
     + "controller c = Book sort by title using localized\nfetch c\nshow c\n", "running"),
    ("a limit and an offset", lambda n: SHELF + in_one_turn(n) + f"fetch Book offset {n - 1} limit 1\n",
     "running"),
    # A history.
    ("transactions of a history", lambda n: HISTORY + times("insert Book(title: '{i}')\nsave", n)
     + "history\n", "store"),
    ("changes of one transaction", lambda n: HISTORY + in_one_turn(n) + "save\nhistory\n", "store"),
    ("merges of a history", lambda n: HISTORY + "controller books = Book sort by title\nfetch books\n"
     "extension 'widget' {\n" + times("insert Book(title: '{i}')\nsave", n)
     + "}\nmerge history into main\n", "store"),
    ("deletions of a history", lambda n: HISTORY + times(
        "insert Book(title: '{i}')\nsave", n) + times("delete history before {j}", n), "store"),
    ("statements that are shown", lambda n: 'store sqlite "a.sqlite"\n' + BOOK + "set sql on\n" + times(
        "insert Book(title: '{i}')\nsave", n), "store"),
    # Control.
    ("a loop", lambda n: f"let a = 0\nfor i in 0..<{n} {{ let b = i + 1 }}\n", "running", 4000),
    ("a repetition", lambda n: BOOK + f"repeat {n} {{ insert Book(title: 'a') }}\n", "running", 1000),
    ("a list that is printed", lambda n: f"print [{', '.join(str(i) for i in range(n))}]\n", "running"),
    ("extensions", lambda n: 'store sqlite "a.sqlite" history\n' + BOOK + times(
        "extension 'w' {{ insert Book(title: '{i}'); save }}", n), "store", 20),
]
