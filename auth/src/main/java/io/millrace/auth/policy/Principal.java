package io.millrace.auth.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Sender of a request: the name of its identity, the statements of its policies, and its connection. Immutable. */
public final class Principal {
    /** The principal of requests without a signature, on no connection. */
    public static final Principal ANONYMOUS = new Principal(
            "anonymous",
            PolicyText.VariableValues.NONE,
            null,
            null,
            null,
            null,
            new PolicyStatement[0],
            RequestSource.INTERNAL);

    /** The account of all identities and roles. It is none of AWS's accounts, so any number serves. */
    public static final String ACCOUNT = "000000000000";

    /** Start of the name of a session of a person; STS lets no client choose it. */
    private static final String PERSON = "person:";

    private static final String SESSION = "assumed-role/";

    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_.:/=+@~-]{1,128}");

    static final String USER_ARN = "arn:aws:iam::" + ACCOUNT + ":user/";

    private final String name;
    private final PolicyText.VariableValues variables;
    private final @Nullable String role;
    private final @Nullable String sourceIdentity;
    private final @Nullable String subject;
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
        this(name, new PolicyText.VariableValues(Optional.of(name), Map.of()), null, rules, policies);
    }

    private Principal(
            String name,
            PolicyText.VariableValues variables,
            @Nullable String role,
            List<AllowRule> rules,
            List<IdentityPolicy> policies) {
        this(name, variables, role, null, null, null, bound(variables, rules, policies), RequestSource.INTERNAL);
    }

    private Principal(
            String name,
            PolicyText.VariableValues variables,
            @Nullable String role,
            @Nullable String sourceIdentity,
            @Nullable String subject,
            @Nullable Principal limit,
            PolicyStatement[] statements,
            RequestSource source) {
        this.name = name;
        this.variables = variables;
        this.role = role;
        this.sourceIdentity = sourceIdentity;
        this.subject = subject;
        this.limit = limit;
        this.statements = statements;
        this.source = source;
    }

    /**
     * Creates the principal of a session. It has no {@code aws:username}, as in AWS, because the client chooses the
     * session's name. The slashes keep it apart from identities.
     *
     * @param tags the session's tags, which policies compare; their names have no case
     */
    public static Principal ofSession(
            String role,
            String session,
            Map<String, String> tags,
            List<AllowRule> rules,
            List<IdentityPolicy> policies) {
        return new Principal(
                nameOfSession(role, session),
                new PolicyText.VariableValues(Optional.empty(), tags),
                role,
                rules,
                policies);
    }

    /** Returns whether a tag of a session can have this name. */
    public static boolean isTagName(String name) {
        return TAG.matcher(name).matches();
    }

    /** Returns the ARN of a session. */
    public static String arnOfSession(String role, String session) {
        return sessionArn(nameOfSession(role, session));
    }

    /** Returns the name of the principal of a session. */
    public static String nameOfSession(String role, String session) {
        return SESSION + role + '/' + session;
    }

    /** Returns the name of the session of a person whom an identity provider names so. */
    public static String sessionOfPerson(String person) {
        return PERSON + person;
    }

    /** Returns the role of the person with this principal's name; empty if it is not one of a person. */
    public static Optional<String> roleOfPerson(String principal) {
        return roleOfSession(principal).filter(role -> principal.startsWith(PERSON, principal.lastIndexOf('/') + 1));
    }

    /** Returns the role of the session with this principal's name; empty if it is that of an identity. */
    public static Optional<String> roleOfSession(String principal) {
        int end = principal.lastIndexOf('/');
        return principal.startsWith(SESSION) && end >= SESSION.length()
                ? Optional.of(principal.substring(SESSION.length(), end))
                : Optional.empty();
    }

    private static String sessionArn(String name) {
        return "arn:aws:sts::" + ACCOUNT + ':' + name;
    }

    private static PolicyStatement[] bound(
            PolicyText.VariableValues caller, List<AllowRule> rules, List<IdentityPolicy> policies) {
        List<PolicyStatement> statements = new ArrayList<>();
        Stream.concat(
                        rules.stream().map(AllowRule::statement),
                        policies.stream().flatMap(policy -> policy.statements().stream()))
                .forEach(statement -> statement.boundTo(caller).ifPresent(statements::add));
        return statements.toArray(new PolicyStatement[0]);
    }

    /** Returns this principal as the sender of a request on a connection. */
    public Principal from(RequestSource connection) {
        Principal limited = limit == null ? null : limit.from(connection);
        return new Principal(name, variables, role, sourceIdentity, subject, limited, statements, connection);
    }

    /** Returns this session as one that an identity has assumed, perhaps by way of other sessions. */
    public Principal assumedBy(String identity) {
        return new Principal(name, variables, role, identity, subject, limit, statements, source);
    }

    /**
     * Returns this session as one that was issued to the owner of an identity provider's token, perhaps by way of other
     * sessions.
     */
    public Principal issuedTo(String owner) {
        return new Principal(name, variables, role, sourceIdentity, owner, limit, statements, source);
    }

    /** Returns this session with a session policy, which must allow, too, whatever the session may do. */
    public Principal limitedTo(IdentityPolicy policy) {
        PolicyStatement[] allowed = bound(variables, List.of(), List.of(policy));
        Principal limited = new Principal(name, variables, role, sourceIdentity, subject, null, allowed, source);
        return new Principal(name, variables, role, sourceIdentity, subject, limited, statements, source);
    }

    public String name() {
        return name;
    }

    /** Returns the name of the identity that has assumed this session; null if none has. */
    public @Nullable String sourceIdentity() {
        return sourceIdentity;
    }

    /**
     * Returns who is to be counted for what this principal uses: an identity, that which has assumed the session, or
     * the person or owner of a token that it was issued to, as the provider names it; the role if that is not known. It
     * is never a name that the client chose for a session, so more sessions are no larger share. No two of them have
     * the same text.
     */
    public String accountableName() {
        if (sourceIdentity != null) {
            return sourceIdentity;
        }
        if (role == null || isPerson()) {
            return name;
        }
        return subject == null ? SESSION + role : subject;
    }

    private boolean isPerson() {
        return name.startsWith(PERSON, name.lastIndexOf('/') + 1);
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

    /**
     * Returns whether jobs may have it as their owner: an identity, or a person whose rights the role alone decides. No
     * other session has a name of its own.
     */
    public boolean canOwnJobs() {
        return !isSession()
                || (roleOfPerson(name).isPresent() && variables.tags().isEmpty() && limit == null);
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

    /** Returns what variables in policies stand for. */
    PolicyText.VariableValues variables() {
        return variables;
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
                && variables.equals(other.variables)
                && (limit == null
                        ? other.limit == null
                        : other.limit != null && Arrays.equals(limit.statements, other.limit.statements));
    }

    @Override
    public String toString() {
        return name;
    }
}
