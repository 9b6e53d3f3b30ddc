package io.millrace.auth.signature;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Generates unusual but valid requests, reproducibly from a seed. */
final class RandomRequests {
    private static final List<String> METHODS = List.of("GET", "HEAD", "PUT", "POST", "DELETE");
    private static final List<String> PARAMETERS = List.of(
            "prefix",
            "delimiter",
            "list-type",
            "max-keys",
            "versionId",
            "partNumber",
            "acl",
            "x-id",
            "Weird Name",
            "ä");
    private static final List<String> HEADERS = List.of(
            "range",
            "if-match",
            "content-type",
            "content-md5",
            "x-amz-meta-colour",
            "x-amz-acl",
            "x-amz-checksum-mode");
    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private static final String ODD = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\u007fÄß€\u1234\uffee";

    private final Random random;

    RandomRequests(long seed) {
        random = new Random(seed);
    }

    int number(int bound) {
        return random.nextInt(bound);
    }

    /** A request without a signature; no header of it and no name of a parameter is there twice. */
    SentRequest next() {
        StringBuilder target = new StringBuilder("/bucket/").append(encoded(text(40), true));
        List<String> names = some(PARAMETERS);
        for (int i = 0; i < names.size(); i++) {
            String value = random.nextInt(4) == 0 ? "" : encoded(text(12), false);
            target.append(i == 0 ? '?' : '&')
                    .append(encoded(names.get(i), false))
                    .append('=')
                    .append(value);
        }
        SentRequest sent = SentRequest.to(METHODS.get(random.nextInt(METHODS.size())), target.toString());
        for (String name : some(HEADERS)) {
            sent = sent.withHeader(name, headerValue());
        }
        return sent;
    }

    /** 1 to {@code most} characters, plain ones, odd ones and emoji. */
    String text(int most) {
        StringBuilder text = new StringBuilder();
        int length = 1 + random.nextInt(most);
        for (int i = 0; i < length; i++) {
            switch (random.nextInt(5)) {
                case 0 -> text.append(ODD.charAt(random.nextInt(ODD.length())));
                case 1 -> text.appendCodePoint(0x1F600 + random.nextInt(64));
                case 2 -> text.append('/');
                default -> text.append((char) ('a' + random.nextInt(26)));
            }
        }
        return text.toString();
    }

    /** Percent-encoded as RFC 3986 wants it. */
    static String encoded(String text, boolean keepSlash) {
        StringBuilder encoded = new StringBuilder();
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (octet & 0xFF);
            boolean plain = PLAIN.indexOf(c) >= 0 || (keepSlash && c == '/');
            encoded.append(plain ? String.valueOf(c) : "%%%02X".formatted(octet));
        }
        return encoded.toString();
    }

    private String headerValue() {
        StringBuilder value = new StringBuilder("v");
        int length = random.nextInt(20);
        for (int i = 0; i < length; i++) {
            char c = (char) (' ' + random.nextInt(95));
            value.append(random.nextInt(4) == 0 ? "  " : String.valueOf(c));
        }
        return value.append('e').toString();
    }

    private List<String> some(List<String> all) {
        List<String> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, random.nextInt(5));
    }
}
