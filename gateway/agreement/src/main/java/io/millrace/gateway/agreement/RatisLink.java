package io.millrace.gateway.agreement;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;

/** Ratis as this member uses it: makes its clients and servers, which the caller closes. */
record RatisLink(AgreementPlace place, RaftGroupId group, RaftProperties settings, Parameters parameters) {
    /**
     * Makes the certificate of this process, and prepares the process for Ratis.
     *
     * @param snapshotEvery the number of entries of a log that become a snapshot
     */
    static RatisLink of(AgreementPlace place, int snapshotEvery) throws IOException {
        RatisProcess.prepare();
        Parameters parameters = new Parameters();
        GrpcConfigKeys.TLS.setConf(parameters, new MemberCertificate(place).tls());
        return new RatisLink(place, RatisSettings.group(place), RatisSettings.of(place, snapshotEvery), parameters);
    }

    List<RaftPeer> voters() {
        return place.voters().entrySet().stream().map(RatisSettings::peer).toList();
    }

    List<RaftPeer> otherVoters() {
        return place.otherVoters().entrySet().stream().map(RatisSettings::peer).toList();
    }

    /** Returns a client of these voters, which connects when it is used. */
    RaftClient client(List<RaftPeer> voters, RetryPolicy retries) {
        return RaftClient.newBuilder()
                .setRaftGroup(RaftGroup.valueOf(group, voters))
                .setProperties(settings)
                .setParameters(parameters)
                .setRetryPolicy(retries)
                .build();
    }

    /**
     * Returns a server that is not started.
     *
     * @param founders all voters if they found the map; none if the log says who votes, or others will
     */
    RaftServer server(AgreedStateMachine machine, Collection<RaftPeer> founders) throws IOException {
        return RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(place.node()))
                .setStateMachine(machine)
                .setGroup(RaftGroup.valueOf(group, founders))
                // The default refuses a folder that is there.
                .setOption(RaftStorage.StartupOption.RECOVER)
                .setProperties(settings)
                .setParameters(parameters)
                .build();
    }
}
