package io.millrace.gateway.s3.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;

/** Tests which connection gives way: none in the middle of a response while another is idle. */
class IdleConnectionsTest {
    private static final long NETWORK = 7;

    private final IdleConnections idle = new IdleConnections();

    @Test
    void connectionWithAnUnsentResponseGivesWayLast() {
        EmbeddedChannel sending = connection();
        respond(sending);
        EmbeddedChannel sent = connection();
        respond(sent);
        sent.flush();

        assertThat(idle.closeOldest()).isTrue();
        assertThat(sent.isOpen()).isFalse();
        assertThat(sending.isOpen()).isTrue();

        assertThat(idle.closeOldest(NETWORK))
                .as("who takes nothing keeps nobody out")
                .isTrue();
        assertThat(sending.isOpen()).isFalse();
        assertThat(idle.closeOldest()).isFalse();
    }

    @Test
    void idlenessBeginsWithTheLastByteThatIsSent() {
        EmbeddedChannel slow = connection();
        respond(slow);
        EmbeddedChannel quick = connection();
        respond(quick);
        quick.flush();
        slow.flush();

        assertThat(idle.closeOldest(NETWORK)).isTrue();
        assertThat(quick.isOpen()).isFalse();
        assertThat(slow.isOpen()).isTrue();
    }

    @Test
    void requestBehindAnUnsentResponseIsInProgress() {
        EmbeddedChannel channel = connection();
        respond(channel);
        channel.writeInbound(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"));
        channel.flush();

        assertThat(idle.closeOldest()).isFalse();
        assertThat(channel.isOpen()).isTrue();
    }

    private EmbeddedChannel connection() {
        return new EmbeddedChannel(new RequestActivityHandler(idle, NETWORK));
    }

    /** Serves a request, and leaves its response to be flushed. */
    private static void respond(EmbeddedChannel channel) {
        channel.writeInbound(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"));
        var unused = channel.write(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    }
}
