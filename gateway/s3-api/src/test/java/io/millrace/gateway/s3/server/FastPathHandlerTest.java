package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Tests when a connection counts as idle: not while a client has not got all of its last response. */
class FastPathHandlerTest {
    private final FastPathHandler fast = new FastPathHandler(() -> exchange -> Mono.empty(), () -> false);
    private final StuckSocket socket = new StuckSocket();
    private final EmbeddedChannel channel = new EmbeddedChannel(socket, fast);

    @Test
    void connectionIsNotIdleBeforeItsResponseIsSent() {
        channel.writeInbound(
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/bucket/key"),
                LastHttpContent.EMPTY_LAST_CONTENT);
        assertThat(idleNanos()).as("while it is served").isNegative();
        var unused = channel.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));

        assertThat(idleNanos()).as("while its response waits").isNegative();
        assertThat(fast.closeIfIdle(channel)).isFalse();
        assertThat(channel.isOpen()).isTrue();

        socket.isStuck = false;
        channel.flush();
        assertThat(idleNanos()).as("once it is sent").isNotNegative();
        assertThat(fast.closeIfIdle(channel)).isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    private long idleNanos() {
        return fast.idleNanos(System.nanoTime());
    }

    /** A socket whose client takes nothing. */
    private static final class StuckSocket extends ChannelOutboundHandlerAdapter {
        private boolean isStuck = true;

        @Override
        public void flush(ChannelHandlerContext context) {
            if (!isStuck) {
                context.flush();
            }
        }
    }
}
