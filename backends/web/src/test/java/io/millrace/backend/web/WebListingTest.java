package io.millrace.backend.web;

import static io.millrace.backend.web.WebServerContract.assertKind;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An index names only what lies directly below its folder, a manifest only keys; both within bounds. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class WebListingTest {
    private static final BucketName BUCKET = new BucketName("bucket");

    private ScriptedWebServer server;
    private Backend byIndex;
    private Backend byManifest;

    @BeforeEach
    void start() {
        server = new ScriptedWebServer();
        byIndex = WebSettings.of(server.url() + "sets/", ListingSource.INDEX).backend();
        byManifest =
                WebSettings.of(server.url() + "sets/", ListingSource.MANIFEST).backend();
    }

    @AfterEach
    void stop() {
        byIndex.close().block();
        byManifest.close().block();
        server.close();
    }

    @Test
    void linksElsewhereAreIgnored() {
        server.page("/sets/bucket/", ScriptedWebServer.text("text/html", """
                <a href="../">Parent</a> <a href="/">root</a> <a href="/sets/other/x">x</a> <a href="?C=N;O=D">Name</a>
                <a href="http://evil.example.org/y">y</a> <a href="//evil.example.org/z">z</a> <a href="javascript:x()">j</a>
                <a href="..%2fup">u</a> <a href="%2e%2e">v</a> <a href="deep/er">d</a> <a href="">e</a> <a href="#f">f</a>
                <a href="mailto:a@b">m</a> <a href="bad%ff">n</a> <a href="a%00/b">o</a> <a href=unquoted>p</a>
                <a href="good.bin">good</a>                04-Aug-2026 10:11                  7
                <A CLASS='c' HREF='/sets/bucket/absolute.bin'>abs</A>
                <a href="FULL">full</a>
                <a href="&#120;&amp;&quot;&lt;y.bin">entities</a>
                """.replace(
                        "FULL", server.url() + "sets/bucket/full.bin")));
        for (String name : new String[] {"absolute.bin", "full.bin", "x%26%22%3Cy.bin"}) {
            server.page(
                    "/sets/bucket/" + name,
                    PlannedResponse.of(200, new byte[3], "Last-Modified", "Tue, 04 Aug 2026 10:11:12 GMT"));
        }

        ListPage page = list(byIndex, "", "");

        assertThat(ListedPages.keys(page)).containsExactly("absolute.bin", "full.bin", "good.bin", "x&\"<y.bin");
        assertThat(page.objects().get(2).size()).isEqualTo(7);
        assertThat(page.objects().get(2).lastModified()).isEqualTo(Instant.parse("2026-08-04T10:11:00Z"));
        assertThat(page.objects().get(0).size()).as("of a HEAD").isEqualTo(3);
    }

    @Test
    void namedFileThatIsMissingIsNotListed() {
        server.page("/sets/bucket/", ScriptedWebServer.text("text/html", "<a href=\"gone\">gone</a>"));

        assertThat(list(byIndex, "", "").objects()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[1]", "[{\"name\":{}}]", "[{\"name\":\"a\"", "[[[[", "x"})
    void invalidJsonIsRefused(String index) {
        server.page("/sets/bucket/", ScriptedWebServer.text("application/json", index));

        assertKind(() -> list(byIndex, "", ""), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void jsonNamesThatAreNoNamesAreIgnored() {
        server.page("/sets/bucket/", ScriptedWebServer.text("application/json", """
                [{"name":"..","type":"directory"},{"name":"a/b","type":"file","size":1},{"name":"","type":"file"},
                {"name":"c","type":"file","mtime":"Tue, 04 Aug 2026 10:11:12 GMT","size":5},{"name":"d","type":"directory"}]
                """));

        ListPage page = list(byIndex, "", "/");

        assertThat(ListedPages.keys(page)).containsExactly("c");
        assertThat(page.prefixes()).containsExactly("d/");
    }

    @Test
    void indexOfAnotherTypeIsRefused() {
        server.page("/sets/bucket/", ScriptedWebServer.text("application/octet-stream", "<a href=\"x\">x</a>"));

        assertKind(() -> list(byIndex, "", ""), FailureKind.INVALID_RESPONSE);
    }

    /**
     * Error pages of status 200: what is in the folder would seem to be gone, and be deleted by a copy that deletes
     * extra objects.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nothing",
                "<html><head><title>503 Service Unavailable</title></head><body><h1>Back soon</h1></body></html>",
                "<!DOCTYPE html><title>Sign in</title><form action=\"/login\"><input name=\"user\"></form>",
                "<html><body>The index of this site is being made. <a href=\"/\">Home</a></body></html>",
                "<html><body><pre>upstream timed out</pre></body></html>",
                "<html><head><title>Back soon</title></head><body><a href=\"status.html\">Status</a></body></html>",
                "<h1>Sorry</h1><a href=\"home\">home</a> <a href=\"help/\">Help</a> <a href=\"main.css\">main.css</a>"
            })
    void pageThatIsNoIndexIsNoEmptyFolder(String page) {
        server.page("/sets/bucket/", ScriptedWebServer.text("text/html", "<a href=\"a/\">a/</a><a href=\"b/\">b/</a>"));
        server.page("/sets/bucket/a/", ScriptedWebServer.text("text/html", page));
        server.page("/sets/bucket/b/", ScriptedWebServer.text("application/json", "[]"));

        assertKind(() -> list(byIndex, "", ""), FailureKind.INVALID_RESPONSE);
        assertKind(() -> list(byIndex, "a/", ""), FailureKind.INVALID_RESPONSE);
        assertThat(list(byIndex, "", "/").prefixes()).containsExactly("a/", "b/");
    }

    /** Of nginx, Apache, Python, lighttpd, Caddy, IIS and Go. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html><head><title>Index of /sets/bucket/</title></head><body><h1>Index of /sets/bucket/</h1><hr><pre>"
                        + "<a href=\"../\">../</a></pre><hr></body></html>",
                "<html><head><title>Listing</title></head><body><table><tr><th><a href=\"?C=N;O=D\">Name</a></th></tr>"
                        + "<tr><td><a href=\"/sets/\">Parent Directory</a></td></tr></table></body></html>",
                "<!DOCTYPE HTML><html lang=\"en\"><head><title>Directory listing for /sets/bucket/</title></head><body>"
                        + "<h1>Directory listing for /sets/bucket/</h1><hr><ul></ul><hr></body></html>",
                "<!DOCTYPE html><html><head><title>x</title></head><body><a href=\"..\">Up</a></body></html>",
                "<html><head><title>x</title></head><body><pre><A HREF=\"/sets/\">[To Parent"
                        + " Directory]</A></pre></body></html>",
                "<pre>\n</pre>\n",
                "<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n</pre>\n"
            })
    void indexOfAnEmptyFolderIsEmpty(String page) {
        server.page("/sets/bucket/", ScriptedWebServer.text("text/html", page));

        assertThat(list(byIndex, "", "").objects()).isEmpty();
        assertThat(Objects.requireNonNull(byIndex.headBucket(BUCKET).block()).name())
                .isEqualTo(BUCKET);
    }

    /**
     * Of Go, Caddy and IIS at the root of a server, where their indexes have no title of one and no link to the folder
     * above.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<pre>\n<a href=\"a%20&amp;b/\">a &amp;b/</a>\n<a href=\"c.html\">c.html</a>\n</pre>\n",
                "<html><head><title>/</title></head><body><a href=\"/\">x</a><table><tr><td><a"
                        + " href=\"./a%20&amp;b/\">\n<svg width=\"1\"><path d=\"\"/></svg>\n<span class=\"name\">a"
                        + " &amp;b</span>\n</a></td></tr><tr><td><a href=\"./c.html\">\n<span"
                        + " class=\"name\">c.html</span>\n</a></td></tr></table></body></html>",
                "<html><head><title>x - /</title></head><body><pre>1/2/2026 &lt;dir&gt; <A"
                        + " HREF=\"/sets/bucket/a%20%26b/\">a &amp;b</A><br>1/2/2026 12 <A"
                        + " HREF=\"/sets/bucket/c.html\">c.html</A><br></pre></body></html>"
            })
    void indexIsKnownByItsNames(String page) {
        server.page("/sets/bucket/", ScriptedWebServer.text("text/html", page));
        server.page(
                "/sets/bucket/c.html",
                PlannedResponse.of(200, new byte[3], "Last-Modified", "Tue, 04 Aug 2026 10:11:12 GMT"));

        ListPage listed = list(byIndex, "", "/");

        assertThat(ListedPages.keys(listed)).containsExactly("c.html");
        assertThat(listed.prefixes()).containsExactly("a &b/");
    }

    @Test
    void indexThatIsTooLargeIsRefused() {
        server.page("/sets/bucket/", PlannedResponse.of(200, new byte[(32 << 20) + 1], "Content-Type", "text/html"));

        assertKind(() -> list(byIndex, "", ""), FailureKind.INVALID_RESPONSE);
    }

    /** A link to the folder itself makes a tree without an end, which ends where keys do. */
    @Test
    void folderInItselfEnds() {
        IntStream.range(0, 600)
                .forEach(depth -> server.page(
                        "/sets/bucket/" + "loop/".repeat(depth),
                        ScriptedWebServer.text("text/html", "<a href=\"loop/\">loop/</a>")));

        assertThat(list(byIndex, "", "").objects()).isEmpty();
        assertThat(server.received()).hasSizeLessThan(210);
    }

    /** Each of many empty folders costs a request: a page ends before all are fetched, and the next goes on there. */
    @Test
    void manyEmptyFoldersTakeSeveralPages() {
        String folders = IntStream.range(0, 1500)
                .mapToObj(number -> "<a href=\"f%1$04d/\">f%1$04d</a>%n".formatted(number))
                .collect(Collectors.joining());
        server.page("/sets/bucket/", ScriptedWebServer.text("text/html", folders));
        IntStream.range(0, 1500)
                .forEach(number -> server.page(
                        "/sets/bucket/f%04d/".formatted(number),
                        ScriptedWebServer.text("text/html", "<a href=\"../\">../</a>")));
        server.page("/sets/bucket/f1499/", ScriptedWebServer.text("application/json", """
                [{"name":"last","type":"file","mtime":"Tue, 04 Aug 2026 10:11:12 GMT","size":5}]"""));

        ListedPages pages = ListedPages.readAll(byIndex, ListedPages.request(BUCKET, "", "", 1000));

        assertThat(pages.pages()).hasSize(2);
        assertThat(pages.keys()).containsExactly("f1499/last");
    }

    @Test
    void laterPagesUseTheIndexOfTheFirst() {
        server.page("/sets/bucket/", ScriptedWebServer.text("application/json", """
                [{"name":"a","type":"file","mtime":"Tue, 04 Aug 2026 10:11:12 GMT","size":1},
                {"name":"b","type":"file","mtime":"Tue, 04 Aug 2026 10:11:12 GMT","size":2}]"""));

        ListedPages pages = ListedPages.readAll(byIndex, ListedPages.request(BUCKET, "", "", 1));

        assertThat(pages.keys()).containsExactly("a", "b");
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void foldersOfTheUrlAreBuckets() {
        server.page(
                "/sets/",
                ScriptedWebServer.text(
                        "text/html", "<a href=\"bucket/\">bucket</a><a href=\"x/\">x</a><a href=\"file\">file</a>"));

        assertThat(Objects.requireNonNull(byIndex.listBuckets().block()))
                .extracting(BucketInfo::name)
                .containsExactly(BUCKET);
    }

    @Test
    void manifestListsWithAndWithoutSizes() {
        server.page("/sets/bucket/manifest.txt", ScriptedWebServer.text("text/plain", """
                # made by hand

                b/2\t20\t2026-08-04T10:11:12Z
                b/1\t10
                a
                ä b#c?d
                """));
        server.page(
                "/sets/bucket/a",
                PlannedResponse.of(200, new byte[5], "Last-Modified", "Tue, 04 Aug 2026 10:11:12 GMT"));
        server.page(
                "/sets/bucket/b/1",
                PlannedResponse.of(200, new byte[10], "Last-Modified", "Tue, 04 Aug 2026 10:11:12 GMT"));
        server.page("/sets/bucket/%C3%A4%20b%23c%3Fd", PlannedResponse.of(200, new byte[7], "ETag", "\"x\""));

        ListPage page = list(byManifest, "", "");

        assertThat(ListedPages.keys(page)).containsExactly("a", "b/1", "b/2", "ä b#c?d");
        assertThat(page.objects()).extracting(ListPage.ListedObject::size).containsExactly(5L, 10L, 20L, 7L);
        assertThat(server.received())
                .extracting(RecordedRequest::target)
                .as("what the manifest tells is not asked for")
                .doesNotContain("/sets/bucket/b/2");
        assertThat(list(byManifest, "", "/").prefixes()).containsExactly("b/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"folder/", "a\tx", "a\t1\tyesterday", "a\t1\t2026-08-04T10:11:12Z\tmore", "\t1"})
    void invalidManifestIsRefused(String line) {
        server.page("/sets/bucket/manifest.txt", ScriptedWebServer.text("text/plain", "good\t1\n" + line));

        assertKind(() -> list(byManifest, "", ""), FailureKind.INVALID_RESPONSE);
    }

    /** Its lines would be keys that do not exist, and the list be empty. */
    @ParameterizedTest
    @ValueSource(strings = {"text/html", "text/plain"})
    void pageInPlaceOfAManifestIsRefused(String type) {
        server.page(
                "/sets/bucket/manifest.txt",
                ScriptedWebServer.text(type, "<!DOCTYPE html>\n<html><body>\nBack soon\n</body></html>\n"));

        assertKind(() -> list(byManifest, "", ""), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void missingManifestIsAMissingBucket() {
        assertKind(() -> list(byManifest, "", ""), FailureKind.NO_SUCH_BUCKET);
        assertKind(() -> byManifest.headBucket(BUCKET).block(), FailureKind.NO_SUCH_BUCKET);
    }

    private static ListPage list(Backend backend, String prefix, String delimiter) {
        return ListedPages.page(backend, ListedPages.request(BUCKET, prefix, delimiter, 1000));
    }
}
