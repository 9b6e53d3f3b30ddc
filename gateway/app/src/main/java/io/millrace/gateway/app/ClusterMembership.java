package io.millrace.gateway.app;

import io.millrace.gateway.control.ClusterView;
import io.millrace.gateway.control.SharedCacheMembers;
import io.millrace.gateway.objects.read.CacheLease;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.WriteReplication;
import io.netty.channel.EventLoopGroup;
import java.util.Optional;
import org.springframework.context.SmartLifecycle;

/**
 * This gateway's membership of a cluster, in types that a gateway without one has loaded anyway: Spring looks at all
 * methods of a bean's type, also if there is no such bean.
 */
interface ClusterMembership extends SmartLifecycle, AutoCloseable {
    CacheLease lease();

    WriteReplication replication();

    /** Returns the sources of reads: the home of an object, if it is another member, and the backend. */
    ObjectSourceFactory sources();

    /** Returns the other members, as far as their caches are one with this. */
    SharedCacheMembers members();

    /** Returns the port at which the other members reach this one, once it has started. */
    int port();

    /** Returns the event loops that serve the other members. */
    EventLoopGroup eventLoops();

    /** Returns the state of all members, for operators. */
    ClusterView view();

    /** Returns whether all members have confirmed this one, so that it takes writes. */
    boolean isReady();

    /** Returns which members have not confirmed this one, in a sentence; empty if all have. */
    Optional<String> whyUnready();

    /** Tells the others that this gateway stops, before its ports close: they take over what it is home of. */
    void beginToStop();

    /** Follows the list of other settings. */
    void reload(MillraceSettings next);

    @Override
    void close();
}
