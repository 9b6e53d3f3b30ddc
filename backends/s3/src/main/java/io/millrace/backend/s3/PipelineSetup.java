package io.millrace.backend.s3;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;

/** Puts {@link AnswerGuard} into a new connection's pipeline, behind an HTTP codec with our sizes, and leaves. */
final class PipelineSetup extends ChannelInboundHandlerAdapter {
    /** S3 allows 2 KiB of user metadata; servers and proxies add their own fields. */
    private static final int MAX_HEADER_BYTES = 64 << 10;

    @Override
    public void channelRegistered(ChannelHandlerContext context) {
        // The SDK's own handlers are in their places by now, and no byte has been read.
        ChannelPipeline pipeline = context.pipeline();
        pipeline.replace(HttpClientCodec.class, "http", codec());
        pipeline.addAfter("http", "answers", new AnswerGuard());
        context.fireChannelRegistered();
        pipeline.remove(this);
    }

    /** A piece of a body is what one read brought: the default cuts it into 8 KiB, each with its own way through all layers. */
    private static HttpClientCodec codec() {
        HttpDecoderConfig config =
                new HttpDecoderConfig().setMaxHeaderSize(MAX_HEADER_BYTES).setMaxChunkSize(Connections.READ_SIZE);
        return new HttpClientCodec(config, false, false);
    }
}
