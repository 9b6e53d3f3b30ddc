package io.millrace.backend.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A channel handler that fails outgoing connections to addresses that the address policy forbids. */
@SuppressWarnings("FutureReturnValueIgnored") // The promise's creator is notified.
final class AddressCheckHandler extends ChannelOutboundHandlerAdapter {
    private final AddressPolicy policy;

    private final Optional<ProxyTunnel> tunnel;

    /** @param tunnel connects to names itself, which cannot be checked here */
    AddressCheckHandler(AddressPolicy policy, Optional<ProxyTunnel> tunnel) {
        this.policy = policy;
        this.tunnel = tunnel;
    }

    @Override
    public void connect(
            ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        if (remote instanceof InetSocketAddress address && permits(address)) {
            context.connect(remote, local, promise);
        } else {
            promise.tryFailure(policy.refuse(remote));
        }
    }

    private boolean permits(InetSocketAddress address) {
        if (tunnel.filter(through -> through.covers(address)).isPresent()) {
            @Nullable InetAddress literal = NetUtil.createInetAddressFromIpAddressString(address.getHostString());
            return literal == null || policy.permits(literal);
        }
        return !address.isUnresolved() && policy.permits(address.getAddress());
    }
}
