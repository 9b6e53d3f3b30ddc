package io.millrace.gateway.fuzz;

import io.millrace.gateway.fuzz.FuzzedGateway.FuzzPrincipal;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.util.Optional;

/**
 * Bodies that are signed chunk by chunk or not, with trailing headers or without, or plain. What a backend is sent is
 * what a slow walk through the body finds and, of chunks with signatures, what they are right for; all of it only if
 * lengths and checksums are right; and where a body is cut into pieces changes nothing.
 */
final class ChunkedTarget extends FuzzTarget {
    private static final String HASH = "x-amz-content-sha256";

    @Override
    void judge(Input input) {
        Input head = Version4.sign(input.withMethod("PUT"), FuzzPrincipal.TRAINER);
        String form = head.only(HASH).orElse("");
        boolean chunksAreSigned = form.startsWith("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
        Optional<ChunkWalk> walk = Optional.empty();
        if (chunksAreSigned) {
            String seed = HeaderClaim.of(head).map(HeaderClaim::signature).orElse("");
            walk = Optional.of(ChunkWalk.signed(head.body(), FuzzPrincipal.TRAINER, seed));
        } else if (form.startsWith("STREAMING-UNSIGNED-PAYLOAD")) {
            walk = Optional.of(ChunkWalk.unsigned(head.body()));
        }
        Input sent = walk.map(w -> head.withBody(w.wire())).orElse(head);
        Served whole = counted(gateway.serve(sent));
        if (whole.operation().filter(ChunkedTarget::takesABody).isPresent()) {
            judge(sent, walk, whole);
        }
        Served cut = gateway.serve(sent, Cuts.of(sent.body()));
        boolean same = cut.status() == whole.status()
                && cut.code().equals(whole.code())
                && cut.stored().equals(whole.stored());
        require(same, "cut another way", cut, whole, sent);
    }

    private static boolean takesABody(RequestOperation operation) {
        return operation == S3Operation.PUT_OBJECT || operation == S3Operation.UPLOAD_PART;
    }

    private static void judge(Input sent, Optional<ChunkWalk> walk, Served served) {
        String most = walk.map(ChunkWalk::payload).orElse(sent.body());
        require(most.startsWith(served.sent()), "what is not right came out", sent);
        if (served.stored().isEmpty()) {
            require(
                    served.status() >= 400
                            && (served.sent().isEmpty() || served.sent().length() < length(sent)),
                    "all of it came out",
                    sent);
            return;
        }
        String stored = served.stored().get();
        require(served.status() == 200 && stored.equals(most), "not what was sent", sent);
        require(stored.length() == length(sent), "another length", sent);
        require(walk.isEmpty() || walk.get().isWhole(), "no end", sent);
        boolean signedTrailer = sent.only(HASH).orElse("").equals("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER");
        require(!signedTrailer || walk.orElseThrow().isTrailerSigned(), "the trailer is not signed", sent);
        Checksums.require(sent, walk.flatMap(ChunkWalk::trailer), stored);
    }

    private static int length(Input sent) {
        return sent.only("x-amz-decoded-content-length")
                .filter(text -> text.matches("[0-9]{1,9}"))
                .map(Integer::parseInt)
                .orElse(sent.body().length());
    }
}
