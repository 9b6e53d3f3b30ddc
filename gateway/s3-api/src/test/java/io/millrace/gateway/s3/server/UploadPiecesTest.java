package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/**
 * Verifies that an upload reaches the backend in pieces as large as one read, because each piece costs a thread switch.
 */
@ExtendWith(BufferLeakExtension.class)
class UploadPiecesTest {
    private static final int LENGTH = 16 << 20;

    @Test
    void fastUploadArrivesInLargePieces() throws Exception {
        Measuring backend = new Measuring(new ConcurrentLinkedQueue<>());
        try (TestGateway gateway =
                        TestGateway.builder().bucket("bucket", backend).start();
                RawClient client = new RawClient(gateway.port())) {
            client.socket().getOutputStream().write(head(gateway).getBytes(StandardCharsets.US_ASCII));
            client.socket().getOutputStream().write(new byte[LENGTH]);

            assertThat(client.send("").status()).isEqualTo(200);
        }

        assertThat(backend.sizes().stream().mapToInt(size -> size).sum()).isEqualTo(LENGTH);
        assertThat(backend.sizes()).anyMatch(size -> size > 32 << 10).allMatch(size -> size <= 64 << 10);
    }

    private static String head(TestGateway gateway) {
        return SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY)
                .request("PUT", "/bucket/key", Map.of("content-length", Integer.toString(LENGTH)));
    }

    /** Stores objects and records the sizes of their pieces. */
    private record Measuring(Queue<Integer> sizes) implements Backend {
        @Override
        public Mono<WriteResult> put(NewObject object, UploadBody body) {
            return body.pieces()
                    .doOnNext(this::measure)
                    .then(Mono.just(new WriteResult(Optional.empty(), HeaderList.EMPTY, Optional.empty())));
        }

        private void measure(ByteBuf piece) {
            sizes.add(piece.readableBytes());
            piece.release();
        }

        @Override
        public Set<Capability> capabilities() {
            return EnumSet.of(Capability.LIST, Capability.WRITE);
        }

        @Override
        public Mono<HeadResult> head(ReadRequest request) {
            return Mono.error(new IllegalStateException("nobody asks"));
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            return Mono.error(new IllegalStateException("nobody asks"));
        }

        @Override
        public Mono<ListPage> listObjects(ListRequest request) {
            return Mono.error(new IllegalStateException("nobody asks"));
        }

        @Override
        public Mono<List<BucketInfo>> listBuckets() {
            return Mono.error(new IllegalStateException("nobody asks"));
        }

        @Override
        public Mono<BucketInfo> headBucket(BucketName bucket) {
            return Mono.error(new IllegalStateException("nobody asks"));
        }

        @Override
        public Mono<Void> close() {
            return Mono.empty();
        }
    }
}
