package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a response reaches only the request that it belongs to. */
class UnsolicitedResponseGuardTest {
    private final Client client = new Client();
    private final EmbeddedChannel channel = new EmbeddedChannel(new UnsolicitedResponseGuard(), client);

    /** A client that sends its next request as soon as a response ends, within the same read. */
    private static final class Client extends ChannelInboundHandlerAdapter {
        private final List<String> bodies = new ArrayList<>();
        private final List<Throwable> failures = new ArrayList<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof HttpContent content) {
                bodies.add(content.content().toString(StandardCharsets.UTF_8));
            }
            ReferenceCountUtil.release(message);
            if (message instanceof LastHttpContent) {
                ChannelFuture unused = context.writeAndFlush(request("/next"));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures.add(cause);
        }
    }

    @Test
    void refusesResponseThatArrivedBeforeItsRequest() {
        channel.writeOutbound(request("/first"));

        channel.writeInbound(head(), body("first"), head(), body("foreign"));

        assertThat(client.bodies).containsExactly("first");
        assertThat(client.failures).singleElement().asString().contains("an unsolicited response");
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }

    @Test
    void passesResponseOfTheNextRead() {
        channel.writeOutbound(request("/first"));

        channel.writeInbound(head(), body("first"));
        channel.writeInbound(head(), body("second"));

        assertThat(client.bodies).containsExactly("first", "second");
        assertThat(client.failures).isEmpty();
        channel.finishAndReleaseAll();
    }

    private static DefaultFullHttpRequest request(String target) {
        return new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, target);
    }

    private static HttpResponse head() {
        return new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    }

    private static LastHttpContent body(String text) {
        return new DefaultLastHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }
}
