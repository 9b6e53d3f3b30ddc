package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs that two parsers could understand differently are refused. */
class WebUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "data.example.org/x",
                "ftp://data.example.org/x",
                "file:///etc/passwd",
                "http:/data.example.org/x",
                "http:data.example.org/x",
                "http:///x",
                "http://:80/x",
                "http://user@data.example.org/x",
                "http://user:word@data.example.org/x",
                "http://data.example.org@evil.example.org/x",
                "http://data.example.org\\@evil.example.org/x",
                "http://data.example.org#@evil.example.org/x",
                "http://data.example.org%2fx/",
                "http://data.example.org:/x",
                "http://data.example.org:080/x",
                "http://data.example.org:0/x",
                "http://data.example.org:65536/x",
                "http://data.example.org:80:80/x",
                "http://data.example.org./x",
                "http://.example.org/x",
                "http://data..example.org/x",
                "http://-data.example.org/x",
                "http://data.example.org/a/../b",
                "http://data.example.org/a/./b",
                "http://data.example.org/a/%2e%2e/b",
                "http://data.example.org/a/.%2E/b",
                "http://data.example.org/a/..",
                "http://data.example.org/a/..;x/b",
                "http://data.example.org/a/..%3b/b",
                "http://data.example.org/a%2fb",
                "http://data.example.org/a%5Cb",
                "http://data.example.org/a\\b",
                "http://data.example.org/a%252fb",
                "http://data.example.org/%252e%252e/b",
                "http://data.example.org/a%00b",
                "http://data.example.org/a%0ab",
                "http://data.example.org/a b",
                "http://data.example.org/a\tb",
                "http://data.example.org/a\nb",
                "http://data.example.org/a%zz",
                "http://data.example.org/a%2",
                "http://data.example.org/%c0%ae%c0%ae/b",
                "http://data.example.org/%ff",
                "http://data.example.org/é",
                "http://data.example.org/x#y",
                "http://data.example.org//x",
                "http://dätä.example.org/x",
                "http://ｄata.example.org/x",
                "http://data。example.org/x",
                "http://\u212Aata.example.org/x",
                "http://data.example.org/x?a=<b>",
                " http://data.example.org/x",
                "http://data.example.org/x ",
            })
    void refusesAmbiguousUrl(String text) {
        assertThatThrownBy(() -> WebUrl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("(?s).{8,}");
    }

    @ParameterizedTest
    @CsvSource({
        "http://Data.Example.ORG, http://data.example.org/, data.example.org",
        "HTTPS://data.example.org:443/x, https://data.example.org/x, data.example.org",
        "https://data.example.org:8443/x?y=%2F../z, https://data.example.org:8443/x?y=%2F../z, data.example.org:8443",
        "http://192.0.2.1/a%20b, http://192.0.2.1/a%20b, 192.0.2.1",
        "http://[2001:DB8::1]:81/, http://[2001:db8::1]:81/, [2001:db8::1]:81",
        "http://a_b.example.org/a.b/..c/...//d, http://a_b.example.org/a.b/..c/...//d, a_b.example.org",
        "http://localhost/x?, http://localhost/x?, localhost",
    })
    void normalizesUrl(String text, String written, String authority) {
        WebUrl url = WebUrl.parse(text);

        assertThat(url).hasToString(written);
        assertThat(url.authority()).isEqualTo(authority);
        assertThat(WebUrl.parse(written)).isEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({
        "https://other.example.org/y?z, https://other.example.org/y?z",
        "//other.example.org/y, https://other.example.org/y",
        "/y#part, https://data.example.org:8443/y",
        "y, https://data.example.org:8443/a/y",
        "?q, https://data.example.org:8443/a/b?q",
    })
    void resolvesRedirectAgainstUrl(String location, String target) {
        assertThat(WebUrl.parse("https://data.example.org:8443/a/b?c").resolve(location))
                .hasToString(target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../y",
                "javascript:alert(1)",
                "https:/x",
                "https:x",
                "//user@h.example.org/",
                "/\\h.example.org",
                ""
            })
    void refusesAmbiguousRedirect(String location) {
        WebUrl url = WebUrl.parse("https://data.example.org/a/b");

        if (location.isEmpty()) {
            assertThat(url.resolve(location)).hasToString("https://data.example.org/a/");
        } else {
            assertThatThrownBy(() -> url.resolve(location)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://data.example.org/sets/, https://data.example.org/sets/a, true",
        "https://data.example.org/sets/, https://data.example.org/%73ets/a, true",
        "https://data.example.org/sets/, https://data.example.org:443/sets/a?b, true",
        "https://data.example.org/sets/, https://data.example.org/sets, false",
        "https://data.example.org/sets, https://data.example.org/sets, true",
        "https://data.example.org/sets, https://data.example.org/sets/a, true",
        "https://data.example.org/sets, https://data.example.org/sets2/a, false",
        "https://data.example.org/sets/, http://data.example.org/sets/a, false",
        "https://data.example.org/sets/, https://data.example.org:8443/sets/a, false",
        "https://data.example.org/sets/, https://data.example.org.evil.org/sets/a, false",
        "https://data.example.org/sets/, https://x.data.example.org/sets/a, false",
        "https://*.example.org/, https://data.example.org/a, true",
        "https://*.example.org/, https://a.b.example.org/a, true",
        "https://*.example.org/, https://example.org/a, false",
        "https://*.example.org/, https://evilexample.org/a, false",
        "http://[2001:db8::1]/, http://[2001:db8:0::1]/a, true",
        "http://10.1.2.3:81/, http://10.1.2.3:81/a, true",
        "http://10.1.2.3:81/, http://10.1.2.30:81/a, false",
    })
    void entryAllowsUrlsBelowIt(String entry, String url, boolean allowed) {
        assertThat(AllowedUrlPattern.parse(entry).contains(WebUrl.parse(url))).isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://*/",
                "https://*.org/",
                "https://*.10.0.0.1/",
                "https://a.*.org/",
                "*.example.org",
                "https://example.org/?x"
            })
    void refusesTooWideEntry(String entry) {
        assertThatThrownBy(() -> AllowedUrlPattern.parse(entry)).isInstanceOf(IllegalArgumentException.class);
    }

    /**
     * Random texts: every accepted URL means the same to {@link URI}, and an entry allows it only if it is below the
     * entry.
     */
    @Test
    void acceptedUrlsMeanTheSameToJavaUri() {
        List<String> words = List.of(
                "http://",
                "https://",
                "HTTP://",
                "data.example.org",
                "evil.org",
                "127.0.0.1",
                "0x7f.1",
                "2130706433",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "localhost",
                "@",
                ":",
                "80",
                "443",
                "/",
                "\\",
                "..",
                ".",
                "%2e",
                "%2f",
                "%5c",
                "%25",
                "?",
                "#",
                ";",
                "sets",
                "a",
                "%",
                "é",
                "｡",
                "１",
                " ",
                "\t",
                "*",
                "&",
                "=");
        AllowedUrlPattern sets = AllowedUrlPattern.parse("http://data.example.org/sets/");
        Random random = new Random(11);
        int understood = 0;
        for (int round = 0; round < 400_000; round++) {
            StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "" : "http://data.example.org/sets/");
            for (int i = random.nextInt(7); i >= 0; i--) {
                int at = random.nextInt(3) == 0 ? random.nextInt(text.length() + 1) : text.length();
                text.insert(at, words.get(random.nextInt(words.size())));
            }
            WebUrl url;
            try {
                url = WebUrl.parse(text.toString());
            } catch (IllegalArgumentException refused) {
                continue;
            }
            understood++;
            URI other = URI.create(text.toString().replaceFirst("\\?.*", ""));
            assertThat(other.getHost())
                    .as("%s", text)
                    .isEqualToIgnoringCase(url.host().text());
            assertThat(other.getUserInfo()).isNull();
            assertThat(other.getPort() < 0 ? url.port() : other.getPort()).isEqualTo(url.port());
            if (sets.contains(url)) {
                assertThat(other.normalize().getPath()).as("%s", text).startsWith("/sets/");
                assertThat(other.getHost()).isEqualTo("data.example.org");
            }
        }
        assertThat(understood).isGreaterThan(20_000);
    }
}
