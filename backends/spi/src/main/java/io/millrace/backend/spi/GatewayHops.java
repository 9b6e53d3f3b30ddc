package io.millrace.backend.spi;

import io.millrace.backend.spi.checksum.HashDigest;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The gateways that a request has passed, by their ids, the first one first. A gateway refuses a request that has
 * passed it before.
 *
 * <p>Any client can send the header. That harms nobody else: an id cannot be guessed, and only gateways that a request
 * is sent to learn those of the gateways before them. So a made-up list is passed on and matches nothing, and one that
 * is longer than any chain counts as none.
 *
 * <p>What a gateway takes for an object store may be the gateway itself, under another name. So its requests to stores
 * have a list too, of one id that is made from its own and tells neither that nor others. Whoever learns it there can
 * have only own requests refused: it counts only as the last of a list, where a request that another gateway passes on,
 * perhaps for several readers, has the id of that one.
 */
public record GatewayHops(List<String> ids) {
    /** The header of a request that carries them. */
    public static final String HEADER = "x-millrace-hops";

    /** No gateway. */
    public static final GatewayHops NONE = new GatewayHops(List.of());

    private static final int MOST = 16;
    private static final int ID_BYTES = 16;
    private static final Pattern IDS = Pattern.compile("[0-9a-f]{32}(, ?[0-9a-f]{32}){0," + (MOST - 1) + "}");
    private static final SecureRandom RANDOM = new SecureRandom();

    public GatewayHops {
        ids = List.copyOf(ids);
    }

    /** Returns the gateways in a header; none if it is absent or not valid. */
    public static GatewayHops parse(Optional<String> header) {
        return header.filter(text -> IDS.matcher(text).matches())
                .map(text -> new GatewayHops(List.of(text.split(", ?", -1))))
                .orElse(NONE);
    }

    /** Returns an id for a gateway, which nobody can guess. */
    public static String newId() {
        byte[] id = new byte[ID_BYTES];
        RANDOM.nextBytes(id);
        return HexFormat.of().formatHex(id);
    }

    /** Returns the id by which object stores may know the gateway of this id. */
    public static String idForStores(String id) {
        byte[] digest = HashDigest.sha256(id.getBytes(StandardCharsets.US_ASCII));
        return HexFormat.of().formatHex(digest, 0, ID_BYTES);
    }

    /** Returns the list that a request to an object store has: the last gateway alone, by its id for stores. */
    public GatewayHops forStores() {
        return ids.isEmpty() ? NONE : NONE.with(idForStores(ids.get(ids.size() - 1)));
    }

    /** Returns whether the last gateway has this id. */
    public boolean endsWith(String id) {
        return !ids.isEmpty() && ids.get(ids.size() - 1).equals(id);
    }

    public boolean contains(String id) {
        return ids.contains(id);
    }

    /** Returns these gateways and one more. */
    public GatewayHops with(String id) {
        List<String> more = new ArrayList<>(ids);
        more.add(id);
        return new GatewayHops(more);
    }

    /** Returns the value of the header. */
    public String toHeader() {
        return String.join(", ", ids);
    }
}
