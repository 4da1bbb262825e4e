#!/bin/bash
# Everybody's lists explained by an array of eight jobs, and joined by a ninth:
#
#   array=$(sbatch --parsable slurm.sh MODEL FOLDER)
#   sbatch --dependency=afterok:$array --wrap "grease merge FOLDER/part-*.parquet --out FOLDER/why.parquet"
#
#SBATCH --job-name=grease
#SBATCH --array=0-7
#SBATCH --cpus-per-task=4
#SBATCH --mem=1G
#SBATCH --time=04:00:00
# A node that fails or is needed elsewhere: begun again, it goes on.
#SBATCH --requeue

set -eu
model=$1
folder=$2

mkdir -p "$folder"
exec grease --threads "$SLURM_CPUS_PER_TASK" batch --model "$model" --users all \
  --out "$folder/part-$SLURM_ARRAY_TASK_ID.parquet" --shard auto --resume
