package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.SigningClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Generates malformed requests, one char per byte. A seed always gives the same ones, except for the signatures, which
 * contain the current date.
 */
final class FuzzedRequests {
    private static final List<String> METHODS = List.of(
            "GET", "GET", "GET", "HEAD", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "TRACE", "PATCH", "get", "G ET",
            "PRI", "");
    private static final List<String> VERSIONS = List.of(
            "HTTP/1.1",
            "HTTP/1.1",
            "HTTP/1.1",
            "HTTP/1.1",
            "HTTP/1.0",
            "HTTP/0.9",
            "HTTP/2.0",
            "HTTP/1.",
            "http/1.1",
            "");
    private static final List<String> PATHS = words("""
            / // /open /open/ /open/key /open/large /open/none /closed/key /open// /open/../closed/key /open/%2e%2e/x
            /open/%00 /open/%2F%2F /open/%c0%af /open/%e0%80%af /open/%f8%88%80%80%80 /open/%ed%a0%80 /open/%ff /open/%
            /open/%4 /open/%zz /open/%u0041 /open/%25 /open/%F0%9F%98%80 /open/a;b=c /open/\\ /open/key#f /ope /. /..
            /.. /%2e%2e /OPEN/key /open%2Fkey http://open/key https://a/ * open/key ?x /?x /open?/key //open/key""");
    private static final List<String> PARAMETERS = words("""
            list-type prefix delimiter max-keys encoding-type start-after continuation-token fetch-owner marker location
            versionId partNumber response-content-type response-expires acl uploads tagging x-id X-Amz-Algorithm
            X-Amz-Credential X-Amz-Date X-Amz-Expires X-Amz-SignedHeaders X-Amz-Signature X-Amz-Security-Token
            X-Amz-Content-Sha256 AWSAccessKeyId Signature Expires x-amz-checksum-mode %00 %ff = & a+b""");
    private static final List<String> HEADERS = words("""
            Range If-Match If-None-Match If-Modified-Since If-Unmodified-Since If-Range Content-Length Transfer-Encoding
            Host Connection Expect Upgrade Authorization x-amz-date x-amz-content-sha256 x-amz-checksum-mode
            x-amz-copy-source x-amz-acl x-amz-security-token Date Content-MD5 Content-Type Accept-Encoding Cookie
            X-Forwarded-For X-HTTP-Method-Override HTTP2-Settings TE Trailer Via Origin""");
    private static final List<String> VALUES = List.of(
            "",
            "*",
            "\"\"",
            "\"x\", W/\"y\"",
            "\"",
            "W/",
            ",,,\",\"",
            "bytes=0-0",
            "bytes=0-",
            "bytes=-1",
            "bytes=-0",
            "bytes=5-2",
            "bytes=0-1,3-4",
            "bytes=9223372036854775807-",
            "bytes=0-99999999999999999999",
            "bytes=--",
            "items=0-1",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "+1000000000-12-31T23:59:59Z",
            "Sun, 06 Nov 999999999 08:49:37 GMT",
            "-1",
            "0",
            "5",
            "5, 5",
            "+5",
            "99999999999999999999",
            "chunked",
            "gzip, chunked",
            "chunked, identity",
            "close",
            "keep-alive",
            "upgrade",
            "100-continue",
            "h2c",
            "websocket",
            "a.s3.test",
            "..s3.test",
            "[::1]:80",
            "a:99999999",
            "user@host",
            "AWS4-HMAC-SHA256",
            "AWS4-HMAC-SHA256 Credential=/, SignedHeaders=, Signature=",
            "AWS4-HMAC-SHA256 Credential=a/20260101/r/s3/aws4_request, SignedHeaders=host, Signature=0",
            "AWS a:b",
            "Basic Og==",
            "Bearer x",
            "UNSIGNED-PAYLOAD",
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
            "20260101T000000Z",
            "99999999T999999Z",
            "2",
            "url",
            "enabled",
            "\u00e4\u00ff",
            "%0d%0a",
            "a\u0000b",
            "a\rb",
            "a\r\nInjected: 1",
            "a\n b",
            "\t");

    private final Random random;
    private final List<String> signed;

    /** @param caller whose signed requests are mutated */
    FuzzedRequests(long seed, SigningClient caller) {
        random = new Random(seed);
        signed = List.of(
                caller.request("GET", "/open/key", Map.of()),
                caller.request("GET", "/closed/key", Map.of("range", "bytes=0-9")),
                caller.request("HEAD", "/closed/key?versionId=null", Map.of()),
                caller.request("GET", "/closed?list-type=2&prefix=a%2Fb&max-keys=2", Map.of()),
                caller.request("GET", "/", Map.of()),
                caller.request("PUT", "/closed/key", Map.of()),
                caller.request("GET", "/closed/key?tagging", Map.of("if-none-match", "*")),
                caller.request("GET", "/closed/key?response-content-type=a%2Fb", Map.of()));
    }

    /** Returns the next request, which may be incomplete. */
    String next() {
        int kind = random.nextInt(100);
        if (kind < 5) {
            return bytes(1 + random.nextInt(300));
        }
        if (kind < 7) {
            return huge();
        }
        if (kind < 12) {
            return valid() + valid() + valid();
        }
        if (kind < 40) {
            return spoilt(one(signed), 1 + random.nextInt(3));
        }
        String composed = composed();
        return kind < 70 ? composed : spoilt(composed, 1 + random.nextInt(8));
    }

    private String composed() {
        StringBuilder request = new StringBuilder();
        request.append(one(METHODS))
                .append(' ')
                .append(target())
                .append(' ')
                .append(one(VERSIONS))
                .append("\r\n");
        if (random.nextInt(20) > 0) {
            request.append("Host: a\r\n");
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            request.append(one(HEADERS)).append(": ").append(one(VALUES)).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    private String target() {
        StringBuilder target = new StringBuilder(one(PATHS));
        if (random.nextInt(4) == 0) {
            target.append(encoded(random.nextInt(20)));
        }
        int parameters = random.nextInt(3) == 0 ? random.nextInt(6) : 0;
        for (int i = 0; i < parameters; i++) {
            target.append(i == 0 ? '?' : '&').append(one(PARAMETERS));
            if (random.nextInt(5) > 0) {
                target.append('=').append(parameterValue());
            }
        }
        return target.toString();
    }

    private String parameterValue() {
        return switch (random.nextInt(4)) {
            case 0 -> Integer.toString(random.nextInt());
            case 1 -> encoded(random.nextInt(12));
            case 2 -> one(List.of("", "2", "url", "1000", "1001", "null", "true", "%2F", "a%2Fb", "99999999999", "-1"));
            default -> one(VALUES).replaceAll("[\\s\\x00]", "%20");
        };
    }

    /** Returns random bytes, percent-encoded; most are not UTF-8. */
    private String encoded(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append("%%%02x".formatted(random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(128)));
        }
        return text.toString();
    }

    private String valid() {
        return "GET /open/key HTTP/1.1\r\nHost: a\r\n\r\n";
    }

    private String huge() {
        StringBuilder request = new StringBuilder("GET /open/key");
        if (random.nextBoolean()) {
            request.append('?').append("a=b&".repeat(random.nextInt(5_000)));
        }
        request.append(" HTTP/1.1\r\nHost: a\r\n");
        if (random.nextBoolean()) {
            request.append("x-long: ")
                    .append("v".repeat(random.nextInt(40_000)))
                    .append("\r\n");
        }
        for (int i = random.nextInt(1_500); i > 0; i--) {
            request.append("x-").append(i).append(": ").append(i).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    private String spoilt(String text, int times) {
        StringBuilder spoilt = new StringBuilder(text);
        for (int i = 0; i < times && !spoilt.isEmpty(); i++) {
            int at = random.nextInt(spoilt.length());
            switch (random.nextInt(6)) {
                case 0 -> spoilt.setCharAt(at, (char) (spoilt.charAt(at) ^ (1 << random.nextInt(8))));
                case 1 -> spoilt.insert(at, (char) random.nextInt(256));
                case 2 -> spoilt.deleteCharAt(at);
                case 3 -> spoilt.insert(at, "%%%02x".formatted(random.nextInt(256)));
                case 4 -> spoilt.insert(at, one(VALUES));
                default ->
                    spoilt.insert(at, spoilt.substring(at, Math.min(spoilt.length(), at + 1 + random.nextInt(40))));
            }
        }
        return spoilt.toString();
    }

    private String bytes(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(256));
        }
        return text.toString();
    }

    private String one(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private static List<String> words(String text) {
        return new ArrayList<>(List.of(text.split("[ \n]+")));
    }
}
