package io.millrace.gateway.fuzz;

import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Walks through a body in aws-chunked with all of it before it, and puts right signatures where it says {@code @}, as
 * long as what comes before is right.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">Trailing headers</a>
 */
final class ChunkWalk {
    private static final Pattern SIGNED = Pattern.compile("([0-9a-fA-F]{1,16});chunk-signature=(@|.{64})");
    private static final Pattern UNSIGNED = Pattern.compile("([0-9a-fA-F]{1,16})(;.*)?", Pattern.DOTALL);
    private static final Pattern TRAILER = Pattern.compile("(?:\r?\n)*([^:\r\n]*):([^\r\n]*)\r?\n(?:\r?\n)*");
    private static final String TRAILER_SIGNATURE = "x-amz-trailer-signature:";
    private static final String NOTHING = Hashes.hex("SHA-256", "");

    private final String body;
    private final boolean signed;
    private final FuzzPrincipal who;
    private String previous;
    private final StringBuilder wire = new StringBuilder();
    private final StringBuilder payload = new StringBuilder();
    private Optional<String> trailer = Optional.empty();
    private boolean whole;
    private boolean trailerIsSigned;

    private ChunkWalk(String body, boolean signed, FuzzPrincipal who, String seed) {
        this.body = body;
        this.signed = signed;
        this.who = who;
        this.previous = seed;
    }

    /** Of chunks with signatures, the first after {@code seed}. */
    static ChunkWalk signed(String body, FuzzPrincipal who, String seed) {
        ChunkWalk walk = new ChunkWalk(body, true, who, seed);
        walk.chunk(0);
        return walk;
    }

    static ChunkWalk unsigned(String body) {
        ChunkWalk walk = new ChunkWalk(body, false, FuzzPrincipal.TRAINER, "");
        walk.chunk(0);
        return walk;
    }

    /** The body with the signatures that were put into it. */
    String wire() {
        return wire.toString();
    }

    /** What may come out at most: with signatures only what they are right for. */
    String payload() {
        return payload.toString();
    }

    /** Whether it came to the chunk that ends the body, and that is right. */
    boolean isWhole() {
        return whole;
    }

    boolean isTrailerSigned() {
        return trailerIsSigned;
    }

    /** The value of the first trailing header. */
    Optional<String> trailer() {
        return trailer;
    }

    private void chunk(int start) {
        int at = start;
        while (!whole) {
            int end = body.indexOf("\r\n", at);
            Matcher head = (signed ? SIGNED : UNSIGNED).matcher(end < 0 ? "" : body.substring(at, end));
            if (!head.matches() || head.group(1).length() > 7) {
                break;
            }
            int size = Integer.parseInt(head.group(1), 16);
            int from = end + 2;
            boolean cut = size > body.length() - from;
            String bytes = body.substring(from, cut ? body.length() : from + size);
            if (signed && (cut || !isRight(head, bytes))) {
                break;
            }
            wire.append(signed ? head.group(1) + ";chunk-signature=" + previous : body.substring(at, end));
            wire.append("\r\n").append(bytes);
            payload.append(bytes);
            at = from + bytes.length();
            whole = size == 0;
            if (cut || (!whole && !body.startsWith("\r\n", at))) {
                break;
            }
            if (!whole) {
                wire.append("\r\n");
                at += 2;
            }
        }
        String rest = body.substring(at);
        wire.append(whole ? trailing(rest) : rest);
    }

    private boolean isRight(Matcher head, String bytes) {
        String right = Hashes.version4(
                who.secret(),
                Version4.DATE,
                Version4.REGION,
                String.join(
                        "\n",
                        "AWS4-HMAC-SHA256-PAYLOAD",
                        Version4.TIMESTAMP,
                        Version4.SCOPE,
                        previous,
                        NOTHING,
                        Hashes.hex("SHA-256", bytes)));
        previous = right;
        return head.group(2).equals("@") || head.group(2).equals(right);
    }

    private String trailing(String text) {
        Matcher first = TRAILER.matcher(text);
        if (!first.lookingAt()) {
            return text;
        }
        String value = first.group(2).strip();
        trailer = Optional.of(value);
        String rest = text.substring(first.end());
        if (!signed || !rest.startsWith(TRAILER_SIGNATURE)) {
            return text;
        }
        String canonical = first.group(1).toLowerCase(Locale.ROOT) + ':' + value + '\n';
        String right = Hashes.version4(
                who.secret(),
                Version4.DATE,
                Version4.REGION,
                String.join(
                        "\n",
                        "AWS4-HMAC-SHA256-TRAILER",
                        Version4.TIMESTAMP,
                        Version4.SCOPE,
                        previous,
                        Hashes.hex("SHA-256", canonical)));
        String filled = rest.replaceFirst("^" + TRAILER_SIGNATURE + "@", TRAILER_SIGNATURE + right);
        trailerIsSigned = filled.startsWith(TRAILER_SIGNATURE + right);
        return text.substring(0, first.end()) + filled;
    }
}
