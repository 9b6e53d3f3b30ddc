package io.millrace.auth.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Sender of a request: the name of its identity, the statements of its policies, and its connection. Immutable. */
public final class Principal {
    /** The principal of requests without a signature, on no connection. */
    public static final Principal ANONYMOUS = new Principal(
            "anonymous", Optional.empty(), null, null, Map.of(), null, new PolicyStatement[0], RequestSource.INTERNAL);

    /** The account of all identities and roles. It is none of AWS's accounts, so any number serves. */
    public static final String ACCOUNT = "000000000000";

    static final String USER_ARN = "arn:aws:iam::" + ACCOUNT + ":user/";

    private final String name;
    private final Optional<String> userName;
    private final @Nullable String role;
    private final @Nullable String sourceIdentity;
    private final Map<String, String> tags;
    private final @Nullable Principal limit;
    private final PolicyStatement[] statements;
    private final RequestSource source;

    /** Creates a principal that has only rules. */
    public Principal(String name, List<AllowRule> rules) {
        this(name, rules, List.of());
    }

    /**
     * Creates a principal without a request; {@link #from} gives it one.
     *
     * @param name the identity's name in the settings file; appears in logs, so it is not a secret
     * @param rules rights beyond those everybody has
     * @param policies the policies of the identity, evaluated together with its rules
     */
    public Principal(String name, List<AllowRule> rules, List<IdentityPolicy> policies) {
        this(
                name,
                Optional.of(name),
                null,
                null,
                Map.of(),
                null,
                bound(Optional.of(name), rules, policies),
                RequestSource.INTERNAL);
    }

    private Principal(
            String name,
            Optional<String> userName,
            @Nullable String role,
            @Nullable String sourceIdentity,
            Map<String, String> tags,
            @Nullable Principal limit,
            PolicyStatement[] statements,
            RequestSource source) {
        this.name = name;
        this.userName = userName;
        this.role = role;
        this.sourceIdentity = sourceIdentity;
        this.tags = tags;
        this.limit = limit;
        this.statements = statements;
        this.source = source;
    }

    /**
     * Creates the principal of a session. It has no {@code aws:username}, as in AWS, because the client chooses the
     * session's name. The slashes keep it apart from identities.
     */
    public static Principal ofSession(
            String role, String session, List<AllowRule> rules, List<IdentityPolicy> policies) {
        return new Principal(
                nameOfSession(role, session),
                Optional.empty(),
                role,
                null,
                Map.of(),
                null,
                bound(Optional.empty(), rules, policies),
                RequestSource.INTERNAL);
    }

    /** Returns the ARN of a session. */
    public static String arnOfSession(String role, String session) {
        return sessionArn(nameOfSession(role, session));
    }

    /** Returns the name of the principal of a session. */
    public static String nameOfSession(String role, String session) {
        return "assumed-role/" + role + '/' + session;
    }

    private static String sessionArn(String name) {
        return "arn:aws:sts::" + ACCOUNT + ':' + name;
    }

    private static PolicyStatement[] bound(
            Optional<String> userName, List<AllowRule> rules, List<IdentityPolicy> policies) {
        List<PolicyStatement> statements = new ArrayList<>();
        Stream.concat(
                        rules.stream().map(AllowRule::statement),
                        policies.stream().flatMap(policy -> policy.statements().stream()))
                .forEach(statement -> statement.boundTo(userName).ifPresent(statements::add));
        return statements.toArray(new PolicyStatement[0]);
    }

    /** Returns this principal as the sender of a request on a connection. */
    public Principal from(RequestSource connection) {
        Principal limited = limit == null ? null : limit.from(connection);
        return new Principal(name, userName, role, sourceIdentity, tags, limited, statements, connection);
    }

    /** Returns this session as one that an identity has assumed, perhaps by way of other sessions. */
    public Principal assumedBy(String identity) {
        return new Principal(name, userName, role, identity, tags, limit, statements, source);
    }

    /** Returns this session with tags, which conditions of policies compare; their names have no case. */
    public Principal tagged(Map<String, String> sessionTags) {
        Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        named.putAll(sessionTags);
        return new Principal(name, userName, role, sourceIdentity, named, limit, statements, source);
    }

    /** Returns this session with a session policy, which must allow, too, whatever the session may do. */
    public Principal limitedTo(IdentityPolicy policy) {
        PolicyStatement[] allowed = bound(userName, List.of(), List.of(policy));
        Principal limited = new Principal(name, userName, role, sourceIdentity, tags, null, allowed, source);
        return new Principal(name, userName, role, sourceIdentity, tags, limited, statements, source);
    }

    public String name() {
        return name;
    }

    /** Returns the name of the identity that has assumed this session; null if none has. */
    public @Nullable String sourceIdentity() {
        return sourceIdentity;
    }

    /** Returns whether the session has a session policy. */
    public boolean isLimited() {
        return limit != null;
    }

    /** Returns a principal with the statements of the session policy; null without one. */
    @Nullable Principal limit() {
        return limit;
    }

    /** Returns whether the principal has no identity. */
    public boolean isAnonymous() {
        return name.equals(ANONYMOUS.name);
    }

    /** Returns whether this is the principal of a session. */
    public boolean isSession() {
        return role != null;
    }

    /** Returns the name of the role of a session; null if this is none. */
    public @Nullable String role() {
        return role;
    }

    /** Returns the ARN of this identity or session. */
    public String arn() {
        return isSession() ? sessionArn(name) : USER_ARN + name;
    }

    /** Returns the name of the identity; empty for a session and without one. */
    Optional<String> userName() {
        return userName;
    }

    /** Returns the session's tags by name, in any case. Not to be changed. */
    Map<String, String> tags() {
        return tags;
    }

    RequestSource source() {
        return source;
    }

    /** Returns the statements of the identity's policies. Not to be changed. */
    PolicyStatement[] statements() {
        return statements;
    }

    /** Returns whether the other has the same name and the same statements, on whatever connection. */
    public boolean hasRightsOf(Principal other) {
        return name.equals(other.name)
                && Arrays.equals(statements, other.statements)
                && tags.equals(other.tags)
                && (limit == null
                        ? other.limit == null
                        : other.limit != null && Arrays.equals(limit.statements, other.limit.statements));
    }

    @Override
    public String toString() {
        return name;
    }
}
