package io.millrace.gateway.s3.sts;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.ManualPieces;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

@ExtendWith(BufferLeakExtension.class)
class StsBodyReaderTest {
    /** Each body counts a kilobyte from the beginning. */
    private final StsBodyReader bodies = new StsBodyReader(16 << 10);

    private final List<String> ends = new ArrayList<>();

    @Test
    void oneNetworkLeavesAsMuchToOthers() throws Exception {
        for (int i = 0; i < 8; i++) {
            read("2001:db8::" + i, Flux.never());
        }
        assertThat(ends).as("half of the memory").isEmpty();
        read("2001:db8::8", Flux.never());
        assertThat(ends).containsExactly("THROTTLING");

        for (int i = 0; i < 4; i++) {
            read("192.0.2.1", Flux.never());
        }
        assertThat(ends).as("half of the rest, of another network").hasSize(1);
    }

    @Test
    void pieceThatComesWithACancellationIsReleased() throws Exception {
        ManualPieces pieces = new ManualPieces();
        Disposable reading = read("192.0.2.1", pieces);
        ByteBuf first = ByteBufAllocator.DEFAULT.buffer(10).writeZero(10);
        ByteBuf late = ByteBufAllocator.DEFAULT.buffer(10).writeZero(10);

        pieces.emit(first);
        reading.dispose();
        pieces.emit(late);

        assertThat(first.refCnt()).isZero();
        assertThat(late.refCnt()).isZero();
    }

    private Disposable read(String address, Flux<ByteBuf> pieces) throws UnknownHostException {
        S3Request request = new S3Request(
                "POST",
                RequestTarget.parse("/sts", Optional.empty()),
                RequestHeaders.NONE,
                new UnverifiedRequestBody(20, pieces),
                "id",
                new RequestSource(InetAddress.getByName(address), false));
        return bodies.read(request)
                .subscribe(
                        body -> ends.add("whole"),
                        failure -> ends.add(((StsException) failure).code().name()));
    }
}
