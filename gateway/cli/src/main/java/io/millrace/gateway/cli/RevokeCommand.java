package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace revoke}: revokes credentials, lifts a revocation, lists revocations. */
@Command(
        name = "revoke",
        description = {
            "Refuse credentials from now on, or list what is revoked.",
            "  millrace revoke session ASIAXXXXXXXXXXXXXXXX   one session",
            "  millrace revoke session trainer/pod-1          those of a role with that name",
            "  millrace revoke identity alice                 her keys and all made with them",
            "  millrace revoke sessions-of alice              the latter, but not her keys",
            "  millrace revoke role trainer                   all sessions of a role",
            "  millrace revoke all                            all sessions, tokens, links and jobs",
            "Each server keeps its own list."
        })
final class RevokeCommand extends ClientCommand {
    private static final String ALL = "all";
    private static final List<String> NAMED = List.of("session", "identity", "sessions-of", "role");

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "TARGET",
            description = "session, identity, sessions-of, role or all; without it, what is revoked is listed.")
    private @Nullable String target;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "Name of the target, except of all.")
    private @Nullable String name;

    @Option(
            names = "--before",
            paramLabel = "TIME",
            description = "Revoke only what was issued until then, such as 2026-11-27T10:00:00Z. Not for an identity.")
    private @Nullable String before;

    @Option(names = "--undo", description = "Lift the revocation.")
    private boolean undo;

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    RevokeCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        String wanted = target;
        if (wanted == null) {
            if (undo || before != null) {
                throw CliException.usage("say what to revoke: session NAME, identity NAME, role NAME or all");
            }
            list();
        } else {
            requireName(wanted);
            if (undo) {
                lift(wanted);
            } else {
                revoke(wanted);
            }
        }
        out().flush();
        return ExitCode.DONE;
    }

    private void requireName(String wanted) {
        if (!wanted.equals(ALL) && !NAMED.contains(wanted)) {
            throw CliException.usage("%s: must be session, identity, sessions-of, role or all"
                    .formatted(TerminalEscaper.escape(wanted)));
        }
        if (wanted.equals(ALL) != (name == null)) {
            throw CliException.usage(wanted.equals(ALL) ? "all has no name" : "name the " + wanted);
        }
        if (undo && before != null) {
            throw CliException.usage("--before: not with --undo");
        }
    }

    private void list() {
        JsonObject all = api().get("/revocations", Map.of());
        if (json) {
            out().println(JsonCodec.write(all));
            return;
        }
        List<JsonObject> revocations = all.objects("revocations");
        if (revocations.isEmpty()) {
            out().println("Nothing is revoked.");
        }
        revocations.forEach(one -> out().println(line(one)));
    }

    private void revoke(String wanted) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("target", wanted);
        if (name != null) {
            request.put("name", name);
        }
        if (before != null) {
            request.put("before", before);
        }
        JsonObject made = api().post("/revocations", request);
        out().println(json ? JsonCodec.write(made) : "Revoked: " + line(made));
    }

    private void lift(String wanted) {
        String query = "?target=" + wanted + (name == null ? "" : "&name=" + ControlApiClient.pathSegment(name));
        api().delete("/revocations" + query);
        out().println("Lifted: %s%s".formatted(wanted, name == null ? "" : " " + TerminalEscaper.escape(name)));
    }

    private static String line(JsonObject revocation) {
        String target = revocation.text("target");
        String name = revocation.text("name");
        return "%s%s, %s %s"
                .formatted(
                        TerminalEscaper.escape(target),
                        name.isEmpty() ? "" : " " + TerminalEscaper.escape(name),
                        target.equals("identity") ? "since" : "issued until",
                        TerminalEscaper.escape(revocation.text("before")));
    }
}
