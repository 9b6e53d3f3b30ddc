package io.millrace.gateway.agreement;

import io.millrace.kit.file.DurableFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An {@link AgreedMap} behind Ratis's log: it applies what is committed, answers queries, and takes and loads
 * snapshots. A revision is the index of an entry in the log and one more. Ratis's threads call it.
 */
final class AgreedStateMachine extends BaseStateMachine {
    private static final Logger log = LoggerFactory.getLogger(AgreedStateMachine.class);

    private final AgreedMap map = new AgreedMap();
    private final SimpleStateMachineStorage snapshots = new SimpleStateMachineStorage();
    private volatile boolean isFailed;

    /** Returns whether the server behind it can do no more, whatever it says of itself. */
    boolean isFailed() {
        return isFailed;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage) throws IOException {
        super.initialize(server, group, storage);
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            snapshots.init(storage);
                            load();
                        },
                        IOException.class);
    }

    /** The base does not change its state, and without that an installed snapshot closes the server. */
    @Override
    public void pause() {
        if (getLifeCycleState() == LifeCycle.State.RUNNING) {
            getLifeCycle().transition(LifeCycle.State.PAUSING);
            getLifeCycle().transition(LifeCycle.State.PAUSED);
        }
    }

    @Override
    public void reinitialize() throws IOException {
        getLifeCycle().startAndTransition(this::load, IOException.class);
    }

    private void load() throws IOException {
        @Nullable SingleFileSnapshotInfo latest = snapshots.loadLatestSnapshot();
        if (latest == null) {
            return;
        }
        File file = latest.getFile().getPath().toFile();
        @Nullable MD5Hash digest = latest.getFile().getFileDigest();
        if (digest != null) {
            MD5FileUtil.verifySavedMD5(file, MD5FileUtil.computeMd5ForFile(file));
        }
        map.restore(AgreedCodec.snapshot(Files.readAllBytes(file.toPath())));
        setLastAppliedTermIndex(latest.getTermIndex());
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return snapshots;
    }

    /** Runs between two transactions, on the thread that applies them. */
    @Override
    public long takeSnapshot() throws IOException {
        TermIndex last = getLastAppliedTermIndex();
        if (last.getIndex() < 0) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        File file = snapshots.getSnapshotFile(last.getTerm(), last.getIndex());
        // Under another name first: Ratis takes any file with such a name for a snapshot.
        DurableFiles.replace(file.toPath(), AgreedCodec.encode(map.snapshot()));
        MD5Hash digest = MD5FileUtil.computeMd5ForFile(file);
        MD5FileUtil.saveMD5File(file, digest);
        snapshots.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file.toPath(), digest), last));
        return last.getIndex();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext context) {
        LogEntryProto entry = context.getLogEntry();
        byte[] form = entry.getStateMachineLogEntry().getLogData().toByteArray();
        TransactionReply reply = apply(form, entry.getIndex() + 1);
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        return CompletableFuture.completedFuture(message(AgreedCodec.encode(reply)));
    }

    /** A failure here would end the voter, and then, at the same entry, the next one. */
    private TransactionReply apply(byte[] form, long revision) {
        try {
            return map.apply(AgreedCodec.request(form), revision);
        } catch (IOException malformed) {
            log.warn("{}: entry {} of the log is no transaction ({})", this, revision - 1, malformed.getMessage());
            return new TransactionReply(TransactionReply.Status.MALFORMED, revision);
        }
    }

    @Override
    public CompletableFuture<Message> query(Message request) {
        try {
            String prefix = AgreedCodec.prefix(request.getContent().toByteArray());
            return CompletableFuture.completedFuture(message(AgreedCodec.encode(map.range(prefix))));
        } catch (IOException malformed) {
            return CompletableFuture.failedFuture(malformed);
        }
    }

    /** Returns a message whose text has nothing of its content, which would be in Ratis's log lines. */
    static Message message(byte[] content) {
        return Message.valueOf(ByteString.copyFrom(content), () -> content.length + " bytes");
    }

    /** A server whose log has failed goes on to say that it runs. */
    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        log.warn("{}: its log has failed", this, cause);
        isFailed = true;
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean allServers) {
        isFailed = true;
    }
}
