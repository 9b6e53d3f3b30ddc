package io.millrace.gateway.jobs.fetch;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** A channel handler that fails outgoing connections to addresses that the address policy forbids. */
@SuppressWarnings("FutureReturnValueIgnored") // The promise's creator is notified.
final class AddressCheckHandler extends ChannelOutboundHandlerAdapter {
    private final AddressPolicy policy;

    AddressCheckHandler(AddressPolicy policy) {
        this.policy = policy;
    }

    @Override
    public void connect(
            ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        if (remote instanceof InetSocketAddress address
                && !address.isUnresolved()
                && policy.permits(address.getAddress())) {
            context.connect(remote, local, promise);
        } else {
            promise.tryFailure(new ForbiddenAddressException(remote));
        }
    }
}
