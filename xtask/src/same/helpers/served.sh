# Runs a command beside a service that is then ended by Ctrl-C: served.sh COMMAND ARGUMENTS OF GREASE SERVE...
# The command finds the address in $SERVICE and the process in $PROCESS; what the service said is in the file `served` afterwards.
command=$1
shift
: > served
grease serve --port 0 "$@" > /dev/null 2>> served &
service=$!
trap 'kill -s KILL $service 2> /dev/null || true' EXIT
while kill -0 $service && ! grep -q http:// served; do sleep 0.05; done
export PROCESS=$service SERVICE=$(sed -n 's,.*\(http://[0-9.:]*\).*,\1,p' served)
sh -c "$command"
kill -s INT $service
wait $service
